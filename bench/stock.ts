import { type ApiKey, type Collection, type Environment, variables } from "@envkeep/contract"
import { askOnce, call, cookieOf } from "./client.ts"
import { requestText } from "./load/request.ts"

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

export const password = "correct horse battery staple"
export const email = "owner@example.com"
export const readPath = `/api${variables.read.path}`

/** Names and values of typical length, about 25 and 40 characters. `mark` makes each list different. */
export function variableList(count: number, mark: string | number = ""): Variable[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `SERVICE_SETTING_NUMBER_${String(index + 1).padStart(5, "0")}`,
    value: `postgres://app:secret@db.internal/${index}/${mark}`.padEnd(40, "x"),
  }))
}

/** Registers an owner on an empty store, with one environment of `count` variables and a key to it. */
export async function stock(url: string, count: number): Promise<Stock> {
  await call(url, { method: "POST", path: "/users/register", body: registration })
  const cookie = await login(url)
  const headers = { cookie }
  const write = <Data>(path: string, body: unknown) => call<Data>(url, { method: "POST", path, headers, body })
  const collectionId = await newCollection(url, cookie)
  const id = await newEnvironment(url, { cookie, collectionId, name: "production" })
  await write(`/subcollection/${id}/bulk`, variableList(count))
  const { key } = await write<ApiKey>("/api-key", { name: "ci", subCollectionId: id })
  if (key === null) throw new Error("the new key cannot be read")
  const environment = await call<Environment>(url, { path: `/subcollection/${id}`, headers })
  return { cookie, collectionId, environment, key }
}

export async function newCollection(url: string, cookie: string, name = "app"): Promise<number> {
  const request = { path: "/collection", headers: { cookie }, body: { name, description: "" } }
  return (await call<Collection>(url, { method: "POST", ...request })).id
}

export async function newEnvironment(
  url: string,
  { cookie, collectionId, name }: { cookie: string; collectionId: number; name: string },
): Promise<number> {
  const request = { path: "/subcollection", headers: { cookie }, body: { name, collectionId } }
  return (await call<Environment>(url, { method: "POST", ...request })).id
}

/** The read by key, as a production machine sends it. */
export function readRequest(key: string, held?: string): string {
  const headers = { authorization: `Bearer ${key}`, ...(held === undefined ? {} : { "if-none-match": held }) }
  return requestText({ path: readPath, headers })
}

/** What a read by key answers. */
export async function readText(url: string, key: string): Promise<string> {
  return (await fetch(`${url}${readPath}`, { headers: { authorization: `Bearer ${key}` } })).text()
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

export const registration = { username: "owner", email, password, password2: password }

export async function login(url: string, as: string = email): Promise<string> {
  return cookieOf(await askOnce(url, { method: "POST", path: "/api/users/login", body: { email: as, password } }))
}
