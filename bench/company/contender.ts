import type { Call } from "@envkeep/contract"
import type { Db } from "@envkeep/server/db/schema.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { password, runApp } from "@envkeep/testing/running-app.ts"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import type { CompiledQuery } from "kysely"
import { makeCall, pathOf } from "../../server/test/access/make-call.ts"
import type { Ids, Sample } from "../../server/test/access/samples.ts"
import { createThings } from "../../server/test/access/things.ts"
import { emailOf } from "./contents.ts"

/** One store with the app in this process, where the statements of each call can be seen. */
export interface Contender {
  db: Db
  close(): Promise<void>
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
    const owner = await running.user()
    return { person: owner, ids: await createThings(running, owner) }
  }
  const owner = await newOwner()
  const colleague = person(running.app, emailOf(1))
  await colleague.post("/users/login", { email: colleague.email, password })
  return {
    db: running.db,
    close: running.close,
    owner,
    colleague: { person: colleague, ids: { ...owner.ids, ...(await idsOfDepartment(running.db)) } },
    newOwner,
    statements,
    async make(by, call, sample) {
      const began = performance.now()
      const isStream = call.method === "GET" && call.plain
      const made = isStream ? await stream(`${url}/api${pathOf(call, sample)}`, by, call) : await make(by, call, sample)
      return { ms: performance.now() - began, ...made }
    },
  }
}

async function make(by: Person, call: Call, sample: Sample): Promise<Omit<Made, "ms">> {
  const { text, status } = await makeCall(by, call, sample)
  return { bytes: text.length, status }
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

/** Its first environment, which is its largest, with what belongs to it: all of them were filled first. */
async function idsOfDepartment(db: Db): Promise<Partial<Ids>> {
  const [collectionId, environmentId] = [1, 1]
  const other = await db
    .selectFrom("environment")
    .select("id")
    .where("collection_id", "=", collectionId)
    .where("id", "<>", environmentId)
    .where("trashed_at", "is", null)
    .orderBy("id")
    .executeTakeFirstOrThrow()
  return {
    ownerId: 1,
    collectionId,
    environmentId,
    otherEnvironmentId: other.id,
    itemId: 1,
    apiKeyId: 1,
    teamId: 1,
    addedTeamId: 1,
  }
}
