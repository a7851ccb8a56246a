import { keepReading } from "@envkeep/testing/keep-reading.ts"
import { threeNodesWithProxy } from "@envkeep/testing/three-nodes-with-proxy.ts"
import { expect, test } from "vitest"

test("three nodes refuse a deleted key, environment or collection within a second, and show a new name", async () => {
  const { urls, ann, collection } = await threeNodesWithProxy()
  const other = await ann.collection(1)
  const environments = await Promise.all([
    ann.environment(0, collection.id, "its key is deleted"),
    ann.environment(1, collection.id, "it is deleted itself"),
    ann.environment(2, other.id, "its collection is deleted"),
  ])
  const keys = await Promise.all(environments.map((environment, node) => ann.apiKey(node, environment)))
  const readers = keys.map(({ key }) => keepReading(urls, key))
  // Once every node has answered each key, it has it in memory.
  for (const reader of readers) await reader.untilChecked()

  const paths = [`/api-key/${keys[0]?.id}`, `/subcollection/${environments[1]?.id}`, `/collection/${other.id}`]
  const renamed = await ann.call(2, "PUT", `/subcollection/${environments[0]?.id}`, { name: "renamed" })
  expect(renamed.status).toBe(200)
  for (const url of urls) {
    const described = await fetch(`${url}/api/v1/key`, { headers: { authorization: `Bearer ${keys[0]?.key}` } })
    expect(await described.json()).toMatchObject({ data: { environment: "renamed", revision: 2 } })
  }
  for (const [node, path] of paths.entries()) {
    expect((await ann.call(node + 1, "DELETE", path)).status).toBe(200)
    readers[node]?.expectWithinASecond((answer) => answer === "401")
  }
  for (const reader of readers) await reader.untilChecked()
  expect(readers.map(({ wrongReads }) => wrongReads)).toEqual([[], [], []])
})
