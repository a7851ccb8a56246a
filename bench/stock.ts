import { type Environment, variables } from "@envkeep/contract"
import { login, register } from "./client.ts"
import { requestText } from "./line.ts"

export interface Variable {
  name: string
  value: string
}

/** What the measurements work on: an environment, its owner's session, and a key that reads it. */
export interface Stock {
  cookie: string
  collectionId: number
  environment: Environment
  key: string
}

export const readPath = `/api${variables.read.path}`
export const watchPath = `/api${variables.watch.path}`

/** Names and values of typical length, about 25 and 40 characters. `mark` makes each list different. */
export function variableList(count: number, mark: string | number = ""): Variable[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `SERVICE_SETTING_NUMBER_${String(index + 1).padStart(5, "0")}`,
    value: `postgres://app:secret@db.internal/${index}/${mark}`.padEnd(40, "x"),
  }))
}

/** Registers an owner on an empty store, with one environment of `count` variables and a key to it. */
export async function stock(url: string, count: number): Promise<Stock> {
  await register(url)
  const owner = await login(url)
  const collectionId = await owner.collection()
  const id = await owner.environment("production", collectionId)
  await owner.post(`/subcollection/${id}/bulk`, variableList(count))
  const key = await owner.key(id)
  const environment = await owner.get<Environment>(`/subcollection/${id}`)
  return { cookie: owner.cookie, collectionId, environment, key }
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** The read by key, as a production machine sends it. */
export function readRequest(key: string, held?: string): string {
  const headers = { ...bearer(key), ...(held === undefined ? {} : { "if-none-match": held }) }
  return requestText({ path: readPath, headers })
}

/** What a read by key answers. */
export async function readText(url: string, key: string): Promise<string> {
  return (await fetch(`${url}${readPath}`, { headers: bearer(key) })).text()
}

/** A change of one item, to a value it did not have. */
export function writeRequest({ cookie, environment }: Stock, mark: string | number): string {
  const [item] = environment.collectionItems
  const body = { name: item?.name, value: `changed to ${mark}` }
  return requestText({ method: "PUT", path: `/api/collectionItem/${item?.id}`, headers: { cookie }, body })
}

/** A bulk save of exactly these variables. */
export function bulkRequest(cookie: string, environmentId: number, variables: Variable[]): string {
  const path = `/api/subcollection/${environmentId}/bulk`
  return requestText({ method: "POST", path, headers: { cookie }, body: variables })
}
