import { setTimeout as wait } from "node:timers/promises"
import { variableFormats } from "@envkeep/contract"
import type { Random } from "@envkeep/testing/crash/random.ts"
import { cookieOf, password, type Reply } from "../client.ts"
import type { Request } from "../line.ts"
import { bearer, readPath, variableList } from "../stock.ts"

interface Site {
  /** Makes a call. A status that is not expected is a fault. */
  call(request: Request, expected?: number[]): Promise<Reply>
  /** Whether the run continues. */
  isOn(): boolean
  /** Up to how long to wait after each thing that the user does. */
  pauseMs: number
}

interface Environment {
  id: number
  items: number[]
  keys: { id: number; key: string; etag: string }[]
}

const username = "soak"
const [maxEnvironments, maxItems, maxKeys] = [4, 20, 3]

/**
 * A user who makes every kind of call, in random order, until the run ends. What they store stays within bounds, so that the
 * store does not grow during the run.
 */
export async function owner(site: Site, random: Random, number: number): Promise<void> {
  // Each has its own address, since registrations and calls are limited by address.
  const forwarded = { "x-forwarded-for": `10.1.${number >> 8}.${number & 255}` }
  const email = `soak${number}@example.com`
  let cookie = ""
  let collectionId: number | undefined
  let environments: Environment[] = []
  let named = 0
  const get = (path: string, expected?: number[]) => call({ path: `/api${path}` }, expected)
  const write = (method: string) => (path: string, body?: unknown, expected?: number[]) =>
    call({ method, path: `/api${path}`, body }, expected)
  const [post, put, remove] = [write("POST"), write("PUT"), write("DELETE")]
  await post("/users/register", { username, email, password, password2: password }, [201])
  await signIn()

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
  while (site.isOn()) {
    await random.pick(bag)()
    await wait(random.below(site.pauseMs))
  }
  await post("/users/logout")

  async function signIn(): Promise<void> {
    cookie = cookieOf(await post("/users/login", { email, password }))
  }

  async function signInAgain(): Promise<void> {
    await post("/users/login", { email, password: "wrong password" }, [401])
    await post("/users/logout")
    await get("/collection", [401])
    await signIn()
  }

  /** One of the environments; makes what is missing for that. */
  async function held(): Promise<Environment> {
    collectionId ??= idOf(await post("/collection", { name: `app ${++named}` }, [201]))
    if (environments.length === 0) await addEnvironment(collectionId)
    return random.pick(environments)
  }

  async function addEnvironment(to: number): Promise<void> {
    const reply = await post("/subcollection", { name: `stage ${++named}`, collectionId: to })
    environments.push({ id: idOf(reply), items: [], keys: [] })
  }

  async function environment(): Promise<void> {
    const one = await held()
    await put(`/subcollection/${one.id}`, { name: `renamed ${++named}` })
    if (environments.length < maxEnvironments) return addEnvironment(collectionId ?? 0)
    await remove(`/subcollection/${one.id}`)
    environments = environments.filter((other) => other !== one)
    for (const { key } of one.keys) await readWith(key, { expected: [401] })
  }

  async function item(): Promise<void> {
    const { id: subCollectionId, items } = await held()
    const body = { name: `ITEM_${++named}`, value: "v".repeat(random.below(2_000) + 1) }
    const [oldest] = items
    if (oldest === undefined || items.length < maxItems) {
      items.push(idOf(await post("/collectionItem", { ...body, subCollectionId })))
    } else if (random.below(2) === 0) {
      await put(`/collectionItem/${oldest}`, body)
    } else {
      items.shift()
      await remove(`/collectionItem/${oldest}`)
    }
  }

  async function bulkSave(): Promise<void> {
    const one = await held()
    one.items = []
    await post(`/subcollection/${one.id}/bulk`, variableList(random.below(200) + 1, ++named))
  }

  async function apiKey(): Promise<void> {
    const { id: subCollectionId, keys } = await held()
    const reply = await post("/api-key", { name: `key ${++named}`, subCollectionId })
    keys.push({ id: idOf(reply), key: dataOf(reply)?.key ?? "", etag: "" })
    if (keys.length <= maxKeys) return
    const gone = keys.shift()
    await remove(`/api-key/${gone?.id}`)
    await readWith(gone?.key ?? "", { expected: [401] })
  }

  async function read(): Promise<void> {
    const key = (await held()).keys.at(-1)
    if (key === undefined) return
    const reply = await readWith(key.key, { headers: { "if-none-match": key.etag }, expected: [200, 304] })
    key.etag = reply.headers.etag ?? ""
    // Our names fit every format, but some formats refuse values that are too long.
    const query = `?format=${random.pick(variableFormats)}`
    if (random.below(10) === 0) await readWith(key.key, { query, expected: [200, 422] })
  }

  async function screens(): Promise<void> {
    const { id } = await held()
    await call({ path: "/" })
    const paths = ["/users/me", "/collection", `/subcollection/${id}`, `/collection/${collectionId}`, "/api-key"]
    for (const path of paths) await get(path)
  }

  async function nonsense(): Promise<void> {
    await get("/nothing", [404])
    await get("/collection/0", [400, 404])
    await get("/collection/999999999", [404])
    await post("/collection", "{ not json", [400])
    await post("/collection", { name: "" }, [400])
    await readWith("ek_nothing", { expected: [401] })
    const headers = { "sec-fetch-site": "cross-site" }
    await call({ method: "POST", path: "/api/users/logout", headers }, [403])
  }

  async function removeCollection(): Promise<void> {
    if (collectionId === undefined) return
    await remove(`/collection/${collectionId}`)
    await post("/trash/empty", { name: username })
    collectionId = undefined
    environments = []
  }

  function readWith(
    key: string,
    { query = "", headers = {}, expected }: { query?: string; headers?: Record<string, string>; expected: number[] },
  ): Promise<Reply> {
    return call({ path: `${readPath}${query}`, headers: { ...bearer(key), ...headers } }, expected)
  }

  function call(request: Request, expected?: number[]): Promise<Reply> {
    const signed: Record<string, string> = cookie === "" ? {} : { cookie }
    return site.call({ ...request, headers: { ...forwarded, ...signed, ...request.headers } }, expected)
  }
}

function dataOf({ text }: Reply): { id?: number; key?: string } | undefined {
  return text.startsWith("{") ? JSON.parse(text).data : undefined
}

const idOf = (reply: Reply) => dataOf(reply)?.id ?? 0
