import { promises as timers } from "node:timers"
import { expect, onTestFinished, test, vi } from "vitest"
import { backoffMs, reconnectMs } from "../src/backoff.ts"
import { load } from "../src/index.ts"
import { followEnvironment } from "../src/live.ts"
import { anyKey, strangeServer } from "./strange-server.ts"
import { failFast } from "./world.ts"

function stubRandom(value: number): void {
  const random = vi.spyOn(Math, "random").mockReturnValue(value)
  onTestFinished(() => random.mockRestore())
}

/** What is waited for. It passes at once. */
function pauses(): number[] {
  const waited: number[] = []
  const pause = vi.spyOn(timers, "setTimeout").mockImplementation((ms, _, { signal } = {}) => {
    // The watch of an earlier test may still be ending.
    if (signal?.aborted !== true) waited.push(ms ?? 0)
    return Promise.resolve() as Promise<never>
  })
  onTestFinished(() => pause.mockRestore())
  return waited
}

test("clients that lost the same server come back spread over a second, and then with growing pauses", () => {
  const first = [0, 0.25, 0.999].map((random) => {
    stubRandom(random)
    return reconnectMs(1)
  })
  expect(first).toEqual([0, 250, 999])
  expect(reconnectMs(2)).toBe(backoffMs(2))
  expect(reconnectMs(9)).toBe(backoffMs(9))
})

test("a server that asks for a pause gets it, but none longer than a minute", () => {
  stubRandom(0.5)
  const asked = [7, 86_400, Number.POSITIVE_INFINITY, -1].map((seconds) => reconnectMs(1, seconds * 1_000))
  expect(asked).toEqual([7_500, 60_500, 60_500, 500])
})

test("a watch waits before it connects again, as long as the server asks", async () => {
  stubRandom(0.5)
  const waited = pauses()
  let connections = 0
  let connected = () => {}
  const url = await strangeServer((request, response) => {
    if (!request.url?.endsWith("/watch")) response.writeHead(200, { "envkeep-revision": "1" }).end('{"A":"1"}')
    else if (++connections === 1) response.writeHead(200).end('event: revision\ndata: {"revision":1}\n\n')
    else if (connections === 2) response.writeHead(503, { "retry-after": "30" }).end()
    else connected()
  })
  const env = await load(failFast({ url, key: anyKey }))
  await new Promise<void>((resolve) => {
    connected = resolve
    onTestFinished(env.watch(() => undefined))
  })
  expect(waited).toEqual([500, 30_000 + backoffMs(2)])
})

test("a watch by a login waits as well, and ends when the server itself says that it may no longer read", async () => {
  stubRandom(0.5)
  const waited = pauses()
  let connections = 0
  const url = await strangeServer((_, response) => {
    if (++connections === 1) response.writeHead(200).end("event: state\ndata: {}\n\n")
    else if (connections === 2) response.writeHead(429, { "retry-after": "30" }).end()
    else if (connections === 3) response.writeHead(404, { "content-type": "text/html" }).end("default backend")
    else response.writeHead(403, { "content-type": "application/json; charset=utf-8" }).end()
  })
  const environment = { id: 1, name: "production", collectionId: 1, revision: 1, itemCount: 0 }
  const target = {
    ...{ url, token: "ept_any", collection: { id: 1, name: "app" } },
    environment: { ...environment, isProtected: false, baseId: null },
  }
  const ended = await new Promise((onEnd) => {
    const read = async () => ({ variables: [], damaged: [], revision: 1, source: "live" as const })
    onTestFinished(followEnvironment(target, { read, onRead: () => undefined, onEnd }))
  })
  expect(ended).toMatchObject({ code: "bad_key", message: "The login is no longer valid" })
  expect(waited).toEqual([500, 30_000 + backoffMs(2), backoffMs(3)])
})
