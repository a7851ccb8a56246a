import { threeNodes } from "@envkeep/testing/cluster.ts"
import { startLoadBalancer } from "@envkeep/testing/load-balancer.ts"
import { expect, test } from "vitest"

test("no read fails while three nodes behind a load balancer are restarted one by one", async () => {
  const { urls, visitor, restart } = await threeNodes({ env: { ENVKEEP_DRAIN_SECONDS: "1" } })
  const balancerUrl = await startLoadBalancer(urls)
  const ann = visitor()
  await ann.register(0, "ann@example.com", "a good password")
  await ann.login(1, "ann@example.com", "a good password")
  const environment = await ann.environment(2, (await ann.collection(0)).id)
  await ann.save(1, environment, "1")
  const { key } = await ann.apiKey(0, environment)

  const answers = new Map<string, number>()
  let restarting = true
  const readers = Array.from({ length: 6 }, async () => {
    while (restarting) {
      const answer = await read(balancerUrl, key)
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  })
  for (const node of [0, 1, 2]) expect(await restart(node)).toMatchObject({ code: 0, err: "" })
  restarting = false
  await Promise.all(readers)

  expect([...answers.keys()]).toEqual(['200 {"A":"1"}'])
  // The session is older than all of the processes, and still works.
  for (const node of [0, 1, 2]) expect((await ann.call(node, "GET", "/collection")).status).toBe(200)
})

async function read(url: string, key: string): Promise<string> {
  try {
    const response = await fetch(`${url}/api/v1/variables`, { headers: { authorization: `Bearer ${key}` } })
    return `${response.status} ${await response.text()}`
  } catch (error) {
    return String((error as Error).cause ?? error)
  }
}
