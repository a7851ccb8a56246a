import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { check, load } from "../src/index.ts"
import { anyKey, strangeServer } from "./strange-server.ts"
import { failFast, failure } from "./world.ts"

const key = anyKey
const megabyte = Buffer.alloc(1024 * 1024, "x")

/** Sends until the client hangs up, and then says how much it took. */
async function sendWithoutEnd(response: ServerResponse): Promise<number> {
  let sent = 0
  const closed = once(response, "close")
  while (!response.destroyed) {
    sent++
    if (!response.write(megabyte)) await Promise.race([once(response, "drain"), closed])
  }
  return sent
}

test.each<[string, Record<string, string>, string]>([
  ["a name that cannot be decoded", { "envkeep-revision": "1", "envkeep-damaged": "A,%zz" }, "{}"],
  ["an empty revision", { "envkeep-revision": "" }, "{}"],
  ["half a revision", { "envkeep-revision": "1.5" }, "{}"],
  ["a NUL in a value", { "envkeep-revision": "1" }, String.raw`{"A":"a\u0000b"}`],
  ["a NUL in a name", { "envkeep-revision": "1" }, String.raw`{"A\u0000":"a"}`],
  ["an equals sign in a name", { "envkeep-revision": "1" }, '{"A=B":"a"}'],
  ["an empty name", { "envkeep-revision": "1" }, '{"":"a"}'],
  ["a value that is not text", { "envkeep-revision": "1" }, '{"A":{"B":"c"}}'],
  ["millions of escapes", { "envkeep-revision": "1" }, `{"A":"${String.raw`\n`.repeat(8_000_000)}`],
])("an answer with %s is not one of Envkeep", async (_, headers, body) => {
  const url = await strangeServer((_request, response) => void response.writeHead(200, headers).end(body))
  const { code, message } = await failure(load(failFast({ url, key, timeout: 30_000 })))
  expect([code, message]).toEqual(["server", `${url} is not an Envkeep server`])
})

test.each([
  "null",
  "[]",
  '{"data":null}',
  '{"data":{"name":1,"environment":"","collection":"","revision":1}}',
  '{"data":{"name":"","environment":"","collection":"","revision":"1"}}',
])("what a key can read is not taken from %s", async (body) => {
  const url = await strangeServer((_, response) => void response.end(body))
  expect(await failure(check(failFast({ url, key })))).toMatchObject({ message: `${url} is not an Envkeep server` })
})

test("an answer without an end is cut off, and so is the text of a failure", async () => {
  const sent: Promise<number>[] = []
  let status = 200
  const url = await strangeServer((_, response) => {
    sent.push(sendWithoutEnd(response.writeHead(status, { "envkeep-revision": "1" })))
  })
  const options = failFast({ url, key, timeout: 60_000 })
  expect(await failure(load(options))).toMatchObject({ message: `The server at ${url} sent more than 128 MiB` })
  status = 503
  expect(await failure(load(options))).toMatchObject({ message: `The server at ${url} answered with status 503` })
  const [answer = 0, text = 0] = await Promise.all(sent)
  // The system's buffers hold some of it.
  expect(answer).toBeLessThan(160)
  expect(text).toBeLessThan(32)
})

test("a watch drops a connection that sends an event without an end, and opens another", async () => {
  let watches = 0
  let firstSent: Promise<number> | undefined
  let revision = 1
  const url = await strangeServer((request: IncomingMessage, response) => {
    if (!request.url?.endsWith("/watch")) {
      response.writeHead(200, { "envkeep-revision": String(revision) }).end(`{"A":"${revision}"}`)
    } else if (++watches === 1) {
      firstSent = sendWithoutEnd(response)
    } else {
      response.write(`event: revision\ndata: ${watches === 2 ? null : `{"revision":${++revision}}`}\n\n`)
    }
  })
  const env = await load(failFast({ url, key }))
  const changed = new Promise<string | undefined>((resolve) => {
    onTestFinished(env.watch((next) => resolve(next.get("A"))))
  })
  expect(await changed).toBe("2")
  expect(await firstSent).toBeLessThan(32)
})
