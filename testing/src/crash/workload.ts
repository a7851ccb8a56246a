import { type Account, accountWriter } from "./account-writer.ts"
import { type Browser, browser, readByKey, type Target } from "./clients.ts"
import { heirWriter } from "./heir-writer.ts"
import { bulkWriters, itemWriter, restoreWriter, type WatchedEnvironment } from "./item-writers.ts"
import { structureWriter } from "./structure-writer.ts"
import type { Writer } from "./writer.ts"

export interface Workload {
  writers: Writer[]
  /** Reads by key until `isDone` or until no answer comes. Returns the faults in what it read. */
  readUntil(isDone: () => boolean): Promise<string[]>
  /** One read by each key, each on a new connection, so that every worker process gets some of them. */
  readKeys(): Promise<Awaited<ReturnType<typeof readByKey>>[]>
  /** Saves the same content to an environment that no writer changes. */
  tryToWrite(): Promise<{ status: number; msg: string }>
}

/** Creates the users who write during a run, and what they write to. */
export async function createWorkload(target: Target): Promise<Workload> {
  const [ann, bob, eve] = await Promise.all(["ann", "bob", "eve"].map((name) => register(target, name)))
  if (ann === undefined || bob === undefined || eve === undefined) throw new Error("not all users were registered")
  const collection = await create<{ id: number }>(ann.client, "/collection", { name: "app", description: "" })
  const environment = async (name: string): Promise<WatchedEnvironment> => {
    const { id } = await create<{ id: number }>(ann.client, "/subcollection", { name, collectionId: collection.id })
    const { key } = await create<{ key: string }>(ann.client, "/api-key", { name: "ci", subCollectionId: id })
    return { id, key, revision: 0 }
  }
  const inheriting = async (name: string, { id: baseId }: WatchedEnvironment): Promise<WatchedEnvironment> => {
    const heir = await environment(name)
    const { status, msg } = await ann.client.call("PUT", `/environments/${heir.id}/base`, { baseId })
    if (status !== 200) throw new Error(`an environment cannot inherit: ${msg}`)
    return heir
  }
  const [single, own, shared, restored, steady] = [
    await environment("single"),
    await environment("own"),
    await environment("shared"),
    await environment("restored"),
    await environment("steady"),
  ]
  const heir = await inheriting("heir", own)
  const lastHeir = await inheriting("last heir", heir)
  await create(ann.client, "/collectionItem", { name: "STEADY", value: "1", subCollectionId: steady.id })
  return {
    writers: [
      itemWriter(ann.client, target, single),
      ...bulkWriters(ann.client, target, own, 1),
      ...bulkWriters(ann.client, target, shared, 2),
      heirWriter(ann.client, target, [own, heir, lastHeir]),
      restoreWriter(ann.client, target, restored),
      structureWriter(bob.client, target),
      accountWriter(eve.client, target, eve.account),
    ],
    readKeys: () =>
      Promise.all(
        [single, own, shared, heir, lastHeir, restored, steady].map(({ key }) => readByKey(target, key, "close")),
      ),
    tryToWrite: () => ann.client.call("POST", `/subcollection/${steady.id}/bulk`, [{ name: "STEADY", value: "1" }]),
    async readUntil(isDone) {
      const faults = new Set<string>()
      while (!isDone()) {
        for (const { key } of [own, heir, shared]) {
          const read = await readByKey(target, key).catch(() => undefined)
          if (read === undefined) return [...faults]
          if (read.status === 200) {
            const values = new Set(Object.values(JSON.parse(read.text) as Record<string, string>))
            if (values.size > 1) faults.add("a reader saw half of a bulk save")
          } else if (read.status !== 503) faults.add(`a reader was answered ${read.status}`)
        }
      }
      return [...faults]
    },
  }
}

async function register(target: Target, name: string): Promise<{ client: Browser; account: Account }> {
  const client = browser(target)
  const account = { email: `${name}@example.com`, username: name, password: `${name}'s password` }
  await create(client, "/users/register", { ...account, password2: account.password })
  await create(client, "/users/login", { email: account.email, password: account.password })
  return { client, account }
}

async function create<Data>(client: Browser, path: string, body: unknown): Promise<Data> {
  const { status, msg, data } = await client.call<Data>("POST", path, body)
  if (status >= 300) throw new Error(`POST ${path} was answered ${status}: ${msg}`)
  return data
}
