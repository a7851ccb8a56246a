import pg from "pg"
import { onTestFinished } from "vitest"
import { threeNodes } from "./cluster.ts"
import { newStoreLocation } from "./database.ts"
import { silentDatabaseProxy } from "./silent-database-proxy.ts"

/** Three nodes, the last of which reaches PostgreSQL through a proxy that can fail silently. */
export async function threeNodesWithProxy() {
  const { databaseUrl } = await newStoreLocation()
  const proxy = await silentDatabaseProxy(databaseUrl as string)
  const { urls, visitor } = await threeNodes({
    locationFor: ({ dataDir }, node) => ({ dataDir, databaseUrl: node === 2 ? proxy.url : databaseUrl }),
  })
  const ann = visitor()
  await ann.register(0, "ann@example.com", "a good password")
  await ann.login(0, "ann@example.com", "a good password")
  const collection = await ann.collection(0)
  const database = new pg.Client(databaseUrl)
  await database.connect()
  onTestFinished(() => database.end())
  return { urls, ann, collection, proxy, database }
}
