import { setTimeout as wait } from "node:timers/promises"
import { variableFormats } from "@envkeep/contract"
import { password, readPath, variableList } from "../stock.ts"
import type { Ask, Reply } from "./client.ts"
import type { Random } from "./random.ts"

export interface Site {
  /** Makes a call. A status that is not expected is a fault. */
  call(ask: Ask, expected?: number[]): Promise<Reply>
  /** Whether the run continues. */
  isOn(): boolean
  /** Up to how long to wait after each thing that the user does. */
  pauseMs: number
}

interface Holding {
  id: number
  environments: { id: number; items: number[]; keys: { id: number; key: string; etag: string }[] }[]
}

/**
 * A user who makes every kind of call, in random order, until the run ends. What they store stays within bounds, so that the
 * store does not grow during the run.
 */
export async function owner({ call: callSite, isOn, pauseMs }: Site, random: Random, number: number): Promise<void> {
  // Each has its own address, since registrations and calls are limited by address.
  const forwarded = { "x-forwarded-for": `10.1.${number >> 8}.${number & 255}` }
  const email = `soak${number}@example.com`
  let cookie = ""
  let collection: Holding | undefined
  let named = 0
  await call({ method: "POST", path: "/api/users/register", body: registration() }, [201])
  await login()

  // How often each is made, relative to the others.
  const acts: [times: number, act: () => Promise<unknown>][] = [
    [40, screens],
    [80, item],
    [40, bulkSave],
    [20, environment],
    [20, apiKey],
    [240, read],
    [40, nonsense],
    [2, removeCollection],
    [1, signInAgain],
  ]
  const bag = acts.flatMap(([times, act]) => Array.from({ length: times }, () => act))
  while (isOn()) {
    await random.pick(bag)()
    await wait(random.below(pauseMs))
  }
  await call({ method: "POST", path: "/api/users/logout" })

  function registration() {
    return { username: "soak", email, password, password2: password }
  }

  async function login(): Promise<void> {
    const reply = await call({ method: "POST", path: "/api/users/login", body: { email, password } })
    cookie = (reply.headers["set-cookie"] ?? []).map((line) => line.split(";")[0]).join("; ")
  }

  async function signInAgain(): Promise<void> {
    await call({ method: "POST", path: "/api/users/login", body: { email, password: "wrong password" } }, [401])
    await call({ method: "POST", path: "/api/users/logout" })
    await call({ path: "/api/collection" }, [401])
    await login()
  }

  async function held(): Promise<Holding["environments"][number]> {
    collection ??= {
      id:
        (await call({ method: "POST", path: "/api/collection", body: { name: `app ${++named}` } }, [201])).data?.id ??
        0,
      environments: [],
    }
    if (collection.environments.length === 0) await addEnvironment(collection)
    return random.pick(collection.environments)
  }

  async function addEnvironment(to: Holding): Promise<void> {
    const body = { name: `stage ${++named}`, collectionId: to.id }
    const { data } = await call({ method: "POST", path: "/api/subcollection", body })
    to.environments.push({ id: data?.id ?? 0, items: [], keys: [] })
  }

  async function environment(): Promise<void> {
    const one = await held()
    if (collection === undefined) return
    await call({ method: "PUT", path: `/api/subcollection/${one.id}`, body: { name: `renamed ${++named}` } })
    if (collection.environments.length < 4) return addEnvironment(collection)
    await call({ method: "DELETE", path: `/api/subcollection/${one.id}` })
    collection.environments = collection.environments.filter((other) => other !== one)
    for (const { key } of one.keys) await call(reading(key), [401])
  }

  async function item(): Promise<void> {
    const one = await held()
    const body = { name: `ITEM_${++named}`, value: "v".repeat(random.below(2_000) + 1), subCollectionId: one.id }
    const [oldest] = one.items
    if (oldest === undefined || one.items.length < 20) {
      one.items.push((await call({ method: "POST", path: "/api/collectionItem", body })).data?.id ?? 0)
    } else if (random.below(2) === 0) {
      const { subCollectionId: _, ...change } = body
      await call({ method: "PUT", path: `/api/collectionItem/${oldest}`, body: change })
    } else {
      one.items.shift()
      await call({ method: "DELETE", path: `/api/collectionItem/${oldest}` })
    }
  }

  async function bulkSave(): Promise<void> {
    const one = await held()
    one.items = []
    const body = variableList(random.below(200) + 1, ++named)
    await call({ method: "POST", path: `/api/subcollection/${one.id}/bulk`, body })
  }

  async function apiKey(): Promise<void> {
    const one = await held()
    const body = { name: `key ${++named}`, subCollectionId: one.id }
    const { data } = await call({ method: "POST", path: "/api/api-key", body })
    one.keys.push({ id: data?.id ?? 0, key: data?.key ?? "", etag: "" })
    if (one.keys.length <= 3) return
    const gone = one.keys.shift()
    await call({ method: "DELETE", path: `/api/api-key/${gone?.id}` })
    await call(reading(gone?.key ?? ""), [401])
  }

  async function read(): Promise<void> {
    const key = (await held()).keys.at(-1)
    if (key === undefined) return
    const reply = await call(reading(key.key, { "if-none-match": key.etag }), [200, 304])
    key.etag = reply.headers.etag ?? ""
    // Our names fit every format, but some formats refuse values that are too long.
    const format = random.pick(variableFormats)
    if (random.below(10) === 0) await call({ ...reading(key.key), path: `${readPath}?format=${format}` }, [200, 422])
  }

  async function screens(): Promise<void> {
    await call({ path: "/" })
    await call({ path: "/api/users/me" })
    await call({ path: "/api/collection" })
    const one = await held()
    await call({ path: `/api/subcollection/${one.id}` })
    await call({ path: `/api/collection/${collection?.id}` })
    await call({ path: "/api/api-key" })
  }

  async function nonsense(): Promise<void> {
    await call({ path: "/api/nothing" }, [404])
    await call({ path: "/api/collection/0" }, [400, 404])
    await call({ path: "/api/collection/999999999" }, [404])
    await call({ method: "POST", path: "/api/collection", body: "{ not json" }, [400])
    await call({ method: "POST", path: "/api/collection", body: { name: "" } }, [400])
    await call(reading("ek_nothing"), [401])
    const foreign = { "sec-fetch-site": "cross-site" }
    await call({ method: "POST", path: "/api/users/logout", headers: foreign }, [403])
  }

  async function removeCollection(): Promise<void> {
    if (collection === undefined) return
    await call({ method: "DELETE", path: `/api/collection/${collection.id}` })
    await call({ method: "POST", path: "/api/trash/empty", body: { name: registration().username } })
    collection = undefined
  }

  function reading(key: string, headers: Record<string, string> = {}): Ask {
    return { path: readPath, headers: { authorization: `Bearer ${key}`, ...headers } }
  }

  function call(ask: Ask, expected?: number[]): Promise<Reply> {
    const signed: Record<string, string> = cookie === "" ? {} : { cookie }
    return callSite({ ...ask, headers: { ...forwarded, ...signed, ...ask.headers } }, expected)
  }
}
