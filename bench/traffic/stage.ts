import type { CreatedToken, Environment, Item, WebhookWithSecret } from "@envkeep/contract"
import { login, register, type User } from "../client.ts"
import { type Entry, type Ledger, writtenValue } from "./ledger.ts"

export interface StagedEnvironment {
  /** Its place in the list: how the ledger calls it. */
  at: number
  id: number
  name: string
  key: string
}

export interface Stage {
  owner: User
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
  await register(url)
  const owner = await login(url)
  const collectionId = await owner.collection("shop")
  const environments: StagedEnvironment[] = []
  const items: Stage["items"] = []
  for (let at = 0; at < environmentCount; at++) {
    const name = `stage-${at}`
    const id = await owner.environment(name, collectionId)
    for (let n = 0; n < writersPerEnvironment; n++) {
      const entry = ledger.add(at, `WRITER_${at}_${n}`)
      const body = { name: entry.name, value: writtenValue(entry.name, 0), subCollectionId: id }
      items.push({ entry, id: (await owner.post<Item>("/collectionItem", body)).id })
    }
    environments.push({ at, id, name, key: await owner.key(id) })
  }
  const { token } = await owner.post<CreatedToken>("/users/me/tokens", { name: "pipeline", scope: "write" })
  const webhooks: Stage["webhooks"] = []
  // One hears of everything, one of a single environment.
  for (const [n, told] of [environments, environments.slice(0, 1)].entries()) {
    const path = `/hook/${n}`
    const limit = told === environments ? {} : { environmentIds: told.map(({ id }) => id) }
    const body = { url: `${receiverUrl}${path}`, kinds: ["items"], ...limit }
    const { secret } = await owner.post<WebhookWithSecret>(`/collections/${collectionId}/webhooks`, body)
    webhooks.push({ path, secret, environments: told })
  }
  return { owner, token, collectionId, environments, items, webhooks }
}

/** The revisions that the environments have now. */
export function revisionsOf({ owner, environments }: Stage): Promise<number[]> {
  return Promise.all(
    environments.map(async ({ id }) => (await owner.get<Environment>(`/subcollection/${id}`)).revision),
  )
}
