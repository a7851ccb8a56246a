import { browser } from "./crash/clients.ts"
import { newStoreLocation, type StoreLocation } from "./database.ts"
import { freePort } from "./machine/free-port.ts"
import { run } from "./process.ts"

export type Cluster = Awaited<ReturnType<typeof threeNodes>>

/** Three server processes on one store. `locationFor` can give a node its own route to the database. */
export async function threeNodes({
  env = {},
  locationFor = (location) => location,
}: {
  env?: Record<string, string>
  locationFor?: (location: StoreLocation, node: number) => StoreLocation
} = {}) {
  const location = await newStoreLocation()
  const ports = [await freePort(), await freePort(), await freePort()]
  const start = (node: number) =>
    run(locationFor(location, node), {
      env: { ENVKEEP_ROOT_KEY: "33".repeat(32), LOG_LEVEL: "warn", PORT: String(ports[node]), ...env },
    })
  const processes = ports.map((_, node) => start(node))
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  await Promise.all(urls.map((_, node) => untilReady(node)))
  return {
    location,
    urls,
    visitor: () => visitor(urls),
    /** Stops a node gracefully, waits until it has ended, and starts it again on the same port and store. */
    async restart(node: number) {
      const before = processes[node] as ReturnType<typeof run>
      before.child.kill("SIGTERM")
      const ended = await before.ended
      processes[node] = start(node)
      await untilReady(node)
      return ended
    },
  }

  async function untilReady(node: number): Promise<void> {
    const { ended } = processes[node] as ReturnType<typeof run>
    const failed = ended.then(({ out, err }) => {
      throw new Error(`node ${node} ended:\n${out}${err}`)
    })
    failed.catch(() => undefined)
    for (;;) {
      const answer = await Promise.race([fetch(`${urls[node]}/readyz`).catch(() => undefined), failed])
      if (answer?.ok) return
    }
  }
}

interface Made {
  id: number
  key: string
  name: string
}

/** A client whose every call may go to another node, as behind a load balancer. */
export function visitor(urls: string[]) {
  const target = { url: "" }
  const client = browser(target)
  const self = {
    call(node: number, method: string, path: string, body?: unknown) {
      target.url = urls[node % urls.length] ?? ""
      return client.call<Made>(method, path, body)
    },
    register: (node: number, email: string, password: string) =>
      self.call(node, "POST", "/users/register", { username: "visitor", email, password, password2: password }),
    login: (node: number, email: string, password: string) =>
      self.call(node, "POST", "/users/login", { email, password }),
    collection: async (node: number) => (await self.call(node, "POST", "/collection", { name: "app" })).data,
    environment: async (node: number, collectionId: number, name = "production") =>
      (await self.call(node, "POST", "/subcollection", { name, collectionId })).data,
    apiKey: async (node: number, environment: { id: number }, name = "ci") =>
      (await self.call(node, "POST", "/api-key", { name, subCollectionId: environment.id })).data,
    save: (node: number, environment: { id: number }, value: string) =>
      self.call(node, "POST", `/subcollection/${environment.id}/bulk`, [{ name: "A", value }]),
  }
  return self
}
