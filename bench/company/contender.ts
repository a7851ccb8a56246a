import { randomUUID } from "node:crypto"
import type { Call } from "@envkeep/contract"
import { hashToken, newSessionToken } from "@envkeep/server/keys/token.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { type RunningApp, runApp } from "@envkeep/testing/running-app.ts"
import type { CompiledQuery } from "kysely"
import { makeCall, pathOf } from "../../server/test/access/make-call.ts"
import type { Ids, Sample } from "../../server/test/access/samples.ts"
import { createThings } from "../../server/test/access/things.ts"
import { password } from "../stock.ts"
import type { StoreLocation } from "../store-location.ts"
import { emailOf } from "./people.ts"

/** One store with the app in this process, where the statements of each call can be seen. */
export interface Contender {
  running: RunningApp
  /** An owner of some things, who never changes them. */
  owner: Owned
  /** The first of the department, an administrator, with what the department has. */
  colleague: Owned
  newOwner(): Promise<Owned>
  /** Makes the call and returns what it took. */
  make(by: Person, call: Call, sample: Sample): Promise<Made>
  /** All statements so far, each once. */
  statements: Map<string, CompiledQuery>
}

interface Owned {
  person: Person
  ids: Ids
}

export interface Made {
  ms: number
  bytes: number
  status: number
}

export async function startContender(location: StoreLocation): Promise<Contender> {
  const statements = new Map<string, CompiledQuery>()
  const running = await runApp(location, {
    env: { LOG_LEVEL: "silent", ENVKEEP_QUOTA_MB: "0" },
    logQuery: ({ query }) => void statements.set(query.sql, query),
  })
  const url = await running.app.listen({ port: 0, host: "127.0.0.1" })
  const newOwner = async () => {
    const owner = await newUser(running)
    return { person: owner, ids: await createThings(running, owner) }
  }
  const owner = await newOwner()
  const colleague = person(running.app, emailOf(1))
  await colleague.post("/users/login", { email: colleague.email, password })
  return {
    running,
    owner,
    colleague: { person: colleague, ids: { ...owner.ids, ...(await idsOfDepartment(running)) } },
    newOwner,
    statements,
    async make(by, call, sample) {
      const began = performance.now()
      if (call.method === "GET" && call.plain) {
        const { bytes, status } = await stream(`${url}/api${pathOf(call, sample)}`, by, call)
        return { ms: performance.now() - began, bytes, status }
      }
      const { text, status } = await makeCall(by, call, sample)
      return { ms: performance.now() - began, bytes: text.length, status }
    },
  }
}

/** With a session, and the password of all others. Written directly: hashing it takes longer than the calls. */
async function newUser({ app, db }: RunningApp): Promise<Person> {
  const [email, token, now] = [`${randomUUID()}@example.com`, newSessionToken(), Date.now()]
  const { password_hash } = await db
    .selectFrom("user")
    .select("password_hash")
    .where("id", "=", 1)
    .executeTakeFirstOrThrow()
  const { id } = await db
    .insertInto("user")
    .values({ username: "someone", email, email_key: email, password_hash, is_admin: 0, created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow()
  await db
    .insertInto("session")
    .values({ user_id: id, token_hash: hashToken(token), created_at: now, seen_at: now })
    .execute()
  const user = person(app, email)
  user.resume("envkeep_session", token)
  return user
}

/** Long answers are read and dropped. Of a stream without end, the first event is. */
async function stream(url: string, { cookie }: Person, { path }: Call): Promise<Omit<Made, "ms">> {
  const { status, body } = await fetch(url, { headers: { cookie } })
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += (chunk as Uint8Array).length
    if (path.endsWith("/live")) break
  }
  return { bytes, status }
}

/** The largest environment of the department, with what belongs to it. */
async function idsOfDepartment({ db }: RunningApp): Promise<Partial<Ids>> {
  const environmentId = 1
  const { collection_id: collectionId } = await db
    .selectFrom("environment")
    .select("collection_id")
    .where("id", "=", environmentId)
    .executeTakeFirstOrThrow()
  const item = await db
    .selectFrom("item")
    .select("id")
    .where("environment_id", "=", environmentId)
    .orderBy("id")
    .limit(1)
    .executeTakeFirstOrThrow()
  const other = await db
    .selectFrom("environment")
    .select("id")
    .where("collection_id", "=", collectionId)
    .where("id", "<>", environmentId)
    .where("trashed_at", "is", null)
    .orderBy("id")
    .limit(1)
    .executeTakeFirstOrThrow()
  return {
    ownerId: 1,
    collectionId,
    environmentId,
    otherEnvironmentId: other.id,
    itemId: item.id,
    apiKeyId: 1,
    teamId: 1,
    addedTeamId: 1,
  }
}
