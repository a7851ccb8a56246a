import type { ApiKey, CreatedToken, Environment, Item, WebhookWithSecret } from "@envkeep/contract"
import { call } from "../client.ts"
import { login, newCollection, newEnvironment, registration } from "../stock.ts"
import { type Entry, type Ledger, writtenValue } from "./ledger.ts"

export interface StagedEnvironment {
  /** Its place in the list: how the ledger calls it. */
  at: number
  id: number
  name: string
  key: string
}

export interface Stage {
  cookie: string
  token: string
  collectionId: number
  environments: StagedEnvironment[]
  /** The names that are written by calls, each with the id of its item. */
  items: { entry: Entry; id: number }[]
  webhooks: { path: string; secret: string; environments: StagedEnvironment[] }[]
}

const environmentCount = 3
const writersPerEnvironment = 2

/** An owner with environments, the names that writers will change, keys, a token and webhooks. */
export async function prepareStage(url: string, ledger: Ledger, receiverUrl: string): Promise<Stage> {
  await call(url, { method: "POST", path: "/users/register", body: registration })
  const cookie = await login(url)
  const make = <Data>(path: string, body: unknown) =>
    call<Data>(url, { method: "POST", path, headers: { cookie }, body })
  const collectionId = await newCollection(url, cookie, "shop")
  const environments: StagedEnvironment[] = []
  const items: Stage["items"] = []
  for (let at = 0; at < environmentCount; at++) {
    const name = `stage-${at}`
    const id = await newEnvironment(url, { cookie, collectionId, name })
    for (let n = 0; n < writersPerEnvironment; n++) {
      const entry = ledger.add(at, `WRITER_${at}_${n}`)
      const body = { name: entry.name, value: writtenValue(entry.name, 0), subCollectionId: id }
      items.push({ entry, id: (await make<Item>("/collectionItem", body)).id })
    }
    const { key } = await make<ApiKey>("/api-key", { name: "reader", subCollectionId: id })
    environments.push({ at, id, name, key: key ?? "" })
  }
  const { token } = await make<CreatedToken>("/users/me/tokens", { name: "pipeline", scope: "write" })
  const webhooks: Stage["webhooks"] = []
  // One hears of everything, one of a single environment.
  for (const [n, told] of [environments, environments.slice(0, 1)].entries()) {
    const path = `/hook/${n}`
    const limit = told === environments ? {} : { environmentIds: told.map(({ id }) => id) }
    const body = { url: `${receiverUrl}${path}`, kinds: ["items"], ...limit }
    const { secret } = await make<WebhookWithSecret>(`/collections/${collectionId}/webhooks`, body)
    webhooks.push({ path, secret, environments: told })
  }
  return { cookie, token, collectionId, environments, items, webhooks }
}

/** The revisions that the environments have now. */
export function revisionsOf(url: string, { cookie, environments }: Stage): Promise<number[]> {
  const ask = ({ id }: StagedEnvironment) =>
    call<Environment>(url, { path: `/subcollection/${id}`, headers: { cookie } })
  return Promise.all(environments.map(async (one) => (await ask(one)).revision))
}
