import { type Account, accountWriter } from "./account.ts"
import { type Browser, browser, readByKey, type Target } from "./calls.ts"
import { bulkWriters, itemWriter, type Watched, type Writer } from "./environments.ts"
import { structureWriter } from "./structure.ts"

export interface Cast {
  writers: Writer[]
  /** Reads by key until it is told to stop or gets no answer; its faults are those of what it read. */
  readOn(isOver: () => boolean): Promise<string[]>
  /** One read by each key, on connections of their own, so that every process gets its turn. */
  readKeys(): Promise<Awaited<ReturnType<typeof readByKey>>[]>
  /** A save of the same content to an environment that nobody else changes. */
  tryToWrite(): Promise<{ status: number; msg: string }>
}

/** Everybody who writes during a run, and what they write to. */
export async function makeCast(target: Target): Promise<Cast> {
  const [ann, bob, eve] = await Promise.all(["ann", "bob", "eve"].map((name) => register(target, name)))
  if (ann === undefined || bob === undefined || eve === undefined) throw new Error("nobody came")
  const collection = await made<{ id: number }>(ann.who, "/collection", { name: "app", description: "" })
  const environment = async (name: string): Promise<Watched> => {
    const { id } = await made<{ id: number }>(ann.who, "/subcollection", { name, collectionId: collection.id })
    const { key } = await made<{ key: string }>(ann.who, "/api-key", { name: "ci", subCollectionId: id })
    return { id, key, revision: 0 }
  }
  const [single, own, shared, steady] = [
    await environment("single"),
    await environment("own"),
    await environment("shared"),
    await environment("steady"),
  ]
  await made(ann.who, "/collectionItem", { name: "STEADY", value: "1", subCollectionId: steady.id })
  return {
    writers: [
      itemWriter(ann.who, target, single),
      ...bulkWriters(ann.who, target, own, 1),
      ...bulkWriters(ann.who, target, shared, 2),
      structureWriter(bob.who, target),
      accountWriter(eve.who, target, eve.account),
    ],
    readKeys: () => Promise.all([single, own, shared, steady].map(({ key }) => readByKey(target, key, "close"))),
    tryToWrite: () => ann.who.call("POST", `/subcollection/${steady.id}/bulk`, [{ name: "STEADY", value: "1" }]),
    async readOn(isOver) {
      const faults = new Set<string>()
      while (!isOver()) {
        for (const { key } of [own, shared]) {
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

async function register(target: Target, name: string): Promise<{ who: Browser; account: Account }> {
  const who = browser(target)
  const account = { email: `${name}@example.com`, username: name, password: `${name}'s password` }
  await made(who, "/users/register", { ...account, password2: account.password })
  await made(who, "/users/login", { email: account.email, password: account.password })
  return { who, account }
}

async function made<Data>(who: Browser, path: string, body: unknown): Promise<Data> {
  const { status, msg, data } = await who.call<Data>("POST", path, body)
  if (status >= 300) throw new Error(`POST ${path} was answered ${status}: ${msg}`)
  return data
}
