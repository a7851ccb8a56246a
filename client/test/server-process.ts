import { newStoreLocation } from "@envkeep/testing/database.ts"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { run } from "@envkeep/testing/process.ts"

type Item = { name: string; value: string }

/** The server in its own process, which can be killed and restarted at the same address. */
export async function serverProcess(variables: Item[] = [{ name: "A", value: "1" }]) {
  const location = await newStoreLocation()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let server = run(location, { env: { PORT: String(port) } })
  await server.url()
  let cookie = ""
  const login = { email: "ann@example.com", password: "correct horse battery staple" }
  await call("POST", "/users/register", { username: "ann", ...login, password2: login.password })
  await call("POST", "/users/login", login)
  const collection = await call("POST", "/collection", { name: "app", description: "" })
  const environment = await call("POST", "/subcollection", { name: "production", collectionId: collection["id"] })
  const { key, id: keyId } = await call("POST", "/api-key", { name: "ci", subCollectionId: environment["id"] })
  const bulk = (list: Item[]) => call("POST", `/subcollection/${environment["id"]}/bulk`, list)
  await bulk(variables)
  return {
    url,
    key: String(key),
    bulk,
    rename: (name: string) => call("PUT", `/subcollection/${environment["id"]}`, { name }),
    deleteKey: () => call("DELETE", `/api-key/${keyId}`),
    async kill(): Promise<void> {
      server.child.kill("SIGKILL")
      await server.ended
    },
    async restart(): Promise<void> {
      server = run(location, { env: { PORT: String(port) } })
      await server.url()
    },
  }

  async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie
    return ((await response.json()) as { data: Record<string, unknown> }).data
  }
}
