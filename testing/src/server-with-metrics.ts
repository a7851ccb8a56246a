import type { Envelope } from "@envkeep/contract"
import { newStoreLocation, type StoreLocation } from "./database.ts"
import { freePort } from "./machine/free-port.ts"
import { run } from "./process.ts"
import { readMetrics } from "./prometheus.ts"

interface Made {
  id: number
  key: string
}

/** A server with a metrics page, and a user who marks everything they write. */
export async function serverWithMetrics(env: Record<string, string> = {}, location?: StoreLocation) {
  const port = await freePort()
  const server = run(location ?? (await newStoreLocation()), { env: { ...env, ENVKEEP_METRICS_PORT: String(port) } })
  const url = await server.url()
  let cookie = ""
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      // A new connection for each request, so that every worker gets its turn.
      headers: { cookie, connection: "close", ...(body ? { "content-type": "application/json" } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie
    return response
  }
  const make = async (path: string, body: unknown) =>
    ((await (await call("POST", path, body)).json()) as Envelope<Made>).data
  const form = {
    username: "zebra-user",
    email: "zebra-mail@example.com",
    password: "zebra-password",
    password2: "zebra-password",
  }
  await call("POST", "/users/register", form)
  await call("POST", "/users/login", { email: form.email, password: form.password })
  const collection = await make("/collection", { name: "zebra-collection", description: "zebra-description" })
  const environment = await make("/subcollection", { name: "zebra-environment", collectionId: collection.id })
  const item = await make("/collectionItem", {
    name: "ZEBRA_ITEM",
    value: "zebra-value",
    subCollectionId: environment.id,
  })
  const apiKey = await make("/api-key", { name: "zebra-key", subCollectionId: environment.id })
  const read = (headers: Record<string, string> = {}, query = "") =>
    call("GET", `/v1/variables${query}`, undefined, { authorization: `Bearer ${apiKey.key}`, ...headers })
  return {
    server,
    url,
    port,
    form,
    call,
    read,
    collection,
    environment,
    item,
    apiKey,
    metrics: () => readMetrics(port),
  }
}
