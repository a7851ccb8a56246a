import { limits, sentences } from "@envkeep/contract"
import { foldCase } from "../../access/email-key.ts"
import { invalid } from "../../errors.ts"

let common: Promise<ReadonlySet<string>> | undefined

/** Refuses a new password that is common, or that is the account's own name. A password that is in use goes on working. */
export async function refuseCommonPassword(
  password: string,
  account: { username: string; email: string } | undefined,
): Promise<void> {
  if (await isCommonPassword(password, account)) throw invalid(sentences.passwordCommon)
}

export async function isCommonPassword(
  password: string,
  account: { username: string; email: string } | undefined,
): Promise<boolean> {
  const folded = fold(password.trim())
  const { username = "", email = "" } = account ?? {}
  const own = [username, email, email.slice(0, email.lastIndexOf("@"))]
  return own.map(fold).includes(folded) || (await commonPasswords()).has(folded)
}

/** What is typed in full-width letters is as easy to guess. */
function fold(text: string): string {
  return foldCase(text.normalize("NFKC"))
}

/** Loaded when the first password is set: they take memory, and time at the start. A failure is not kept. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= load().catch((error: unknown) => {
    common = undefined
    throw error
  })
  return common
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import("@zxcvbn-ts/language-common")
  // Shorter ones are refused anyway. The list is in lower case.
  return new Set(dictionary["passwords-common"].filter(({ length }) => length >= limits.passwordMin))
}
