import { type Person, sentences } from "@envkeep/contract"
import type { Bookkeeping } from "../db/bookkeeping.ts"
import type { Reader } from "../db/schema.ts"
import { invalid } from "../errors.ts"
import * as attempts from "./attempts/rules.ts"
import type { UserCaller } from "./caller.ts"
import { emailKey } from "./email-key.ts"

/**
 * The account with exactly this e-mail or username. Every try counts, found or not, so that no one can list accounts.
 * What looks like an e-mail is never looked up as a username: anyone can choose another person's e-mail as theirs.
 */
export async function findPerson(core: Bookkeeping, caller: UserCaller, who: string): Promise<Person> {
  await attempts.countLookUp(core, caller.userId)
  const [person, another] = await enabledUsers(
    core.db,
    who.includes("@") ? { emailKey: emailKey(who) } : { username: who },
  )
  if (person === undefined) throw invalid(sentences.userUnknown)
  if (another !== undefined) throw invalid(sentences.usernameNotUnique)
  return person
}

/** At most two. A disabled account is not found. */
function enabledUsers(db: Reader, who: { emailKey: string } | { username: string }): Promise<Person[]> {
  return db
    .selectFrom("user")
    .select(["user.id as userId", "user.username", "user.email"])
    .where((eb) => ("emailKey" in who ? eb("email_key", "=", who.emailKey) : eb("username", "=", who.username)))
    .where("disabled_at", "is", null)
    .limit(2)
    .execute()
}
