import { once } from "node:events"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

// Requests that a proxy and this server could interpret differently (request smuggling), and methods we do not need.

async function listening(parts: Parameters<typeof testApp>[0] = {}) {
  const app = await testApp(parts)
  const { port } = new URL(await app.app.listen({ port: 0, host: "127.0.0.1" }))
  const dial = () => connect(Number(port), "127.0.0.1")
  const exchange = async (...lines: string[]) => {
    const socket = dial()
    socket.write(lines.join("\r\n"))
    return text(socket).catch(() => "")
  }
  return { ...app, dial, exchange }
}

function statuses(answers: string): string[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status = ""]) => status)
}

function create({ cookie }: Person, name: string): string {
  const body = JSON.stringify({ name, description: "" })
  const lines = ["POST /api/collection HTTP/1.1", "host: x", `cookie: ${cookie}`, "content-type: application/json"]
  return [...lines, `content-length: ${body.length}`, "", body].join("\r\n")
}

async function namesOf(person: Person): Promise<string[]> {
  const { body } = await person.get<{ name: string }[]>("/collection")
  return body.data.map(({ name }) => name).sort()
}

const smuggled = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
const post10 = ["POST /api/users/login HTTP/1.0", "connection: keep-alive", "content-type: application/json"]
const post = ["POST /api/users/login HTTP/1.1", "host: x", "content-type: application/json"]

test.each<[string, string[]]>([
  ["a length and chunks", [...post, "content-length: 6", "transfer-encoding: chunked", "", "0", "", smuggled]],
  ["chunks and a length", [...post, "transfer-encoding: chunked", "content-length: 6", "", "0", "", smuggled]],
  ["two lengths", [...post, "content-length: 2", `content-length: ${smuggled.length}`, "", `{}${smuggled}`]],
  ["a list of lengths", [...post, "content-length: 2, 40", "", `{}${smuggled}`]],
  ["a length with a sign", [...post, "content-length: +2", "", `{}${smuggled}`]],
  ["a length in hexadecimal", [...post, "content-length: 0x2", "", `{}${smuggled}`]],
  ["an unknown coding", [...post, "transfer-encoding: xchunked", "", "0", "", smuggled]],
  ["a coding after chunks", [...post, "transfer-encoding: chunked, identity", "", "0", "", smuggled]],
  ["a space before the colon", [...post, "transfer-encoding : chunked", "", "0", "", smuggled]],
  ["a folded header", [...post, "x: y", " content-length: 6", "transfer-encoding:", " chunked", "", "0", "", smuggled]],
  ["an invalid chunk", [...post, "transfer-encoding: chunked", "", "zz", "", smuggled]],
  ["NUL in a header", [...post, "x: a\0b", "content-length: 2", "", `{}${smuggled}`]],
  ["a bare line feed", [...post, "x: y\ncontent-length: 2", "", `{}${smuggled}`]],
  ["no host", ["GET /api/users/me HTTP/1.1", "", smuggled]],
  ["two hosts", ["GET /healthz HTTP/1.1", "host: x", "Host: x", "", smuggled]],
  ["two hosts in HTTP/1.0", ["GET /healthz HTTP/1.0", "connection: keep-alive", "host: x", "host: y", "", smuggled]],
  ["chunks in HTTP/1.0", [...post10, "transfer-encoding: chunked", "", "2", "{}", "0", "", smuggled]],
  ["no coding", [...post, "transfer-encoding: identity", "", smuggled]],
  ["no coding, and a length", [...post, "transfer-encoding: identity", "content-length: 2", "", `{}${smuggled}`]],
  [
    "no coding, then chunks",
    [...post, "transfer-encoding: identity", "transfer-encoding: chunked", "", "0", "", smuggled],
  ],
  ["chunks twice", [...post, "transfer-encoding: chunked", "transfer-encoding: chunked", "", "0", "", smuggled]],
  ["two codings", [...post, "transfer-encoding: gzip, chunked", "", "0", "", smuggled]],
])("%s is refused, and nothing after it is treated as a request", async (_, lines) => {
  const { exchange } = await listening()
  const answer = await exchange(...lines)
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close/i)
  expect(answer).toContain(sentences.badRequest)
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(answer).not.toContain('"status":"ok"')
})

test("a coding after very many headers is not overlooked", async () => {
  const { exchange } = await listening()
  const answer = await exchange(...post, ...Array(2_100).fill("a:b"), "transfer-encoding: gzip, chunked", "", smuggled)
  expect(statuses(answer)).toEqual(["431"])
})

test("a request with as many headers as proxies add is served", async () => {
  const { exchange } = await listening()
  const headers = Array.from({ length: 150 }, (_, n) => `x-proxy-${n}: y`)
  const answer = await exchange("GET /healthz HTTP/1.1", "host: x", "connection: close", ...headers, "", "")
  expect(statuses(answer)).toEqual(["200"])
})

test("requests sent before something that is not HTTP get their own answers", async () => {
  const { exchange, user } = await listening()
  const ann = await user()
  const one = await exchange(`${create(ann, "a")}garbage\r\n\r\n`)
  expect(statuses(one)).toEqual(["201", "400"])
  expect(one).toMatch(/400 Bad Request\r\nconnection: close\r\n/)
  const two = await exchange(`${create(ann, "b")}${create(ann, "c")}garbage\r\n\r\n`)
  expect(statuses(two)).toEqual(["201", "201", "400"])
  // The body of the second breaks off, so only the first can be answered.
  const invalidChunk = [...post, "transfer-encoding: chunked", "", "zz", "", ""].join("\r\n")
  expect(statuses(await exchange(`${create(ann, "d")}${invalidChunk}`))).toEqual(["201", "400"])
  expect(await namesOf(ann)).toEqual(["a", "b", "c", "d"])
})

test("nothing is written into an answer that has begun: a stream of changes ends, a long answer goes on", async () => {
  const { exchange, dial, user } = await listening()
  const ann = await user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`
  const watch = get("/api/v1/variables/watch")

  const open = dial()
  open.write(watch)
  await once(open, "readable")
  open.write("garbage\r\n\r\n")
  // It has no last chunk: a client reads it until the connection ends, up to a whole event.
  const ended = /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nconnection: close\r\n\r\n([\s\S]*\n\n)?$/i
  const stream = await text(open)
  expect(stream).toMatch(ended)
  expect(statuses(stream)).toEqual(["200"])
  // Before the stream has begun, too.
  const atOnce = await exchange(`${watch}garbage\r\n\r\n`)
  expect(atOnce).toMatch(ended)
  expect(statuses(atOnce)).toEqual(["200"])

  const large = Array.from({ length: 60 }, (_, n) => ({ name: `N${n}`, value: "x".repeat(60_000) }))
  await ann.post(`/subcollection/${environment.id}/bulk`, large)
  const slow = dial()
  slow.write(get("/api/v1/variables"))
  await once(slow, "readable")
  slow.write("garbage\r\n\r\n")
  const answer = await text(slow)
  const length = Number(/content-length: (\d+)/i.exec(answer)?.[1])
  const start = answer.indexOf("\r\n\r\n") + 4
  expect(JSON.parse(answer.slice(start, start + length))).toHaveProperty("N59")
})

test("a stream that is asked for together with something else begins after that answer", async () => {
  const { dial, user } = await listening()
  const ann = await user()
  const { key } = await ann.apiKey(await ann.environment())
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`

  const open = dial()
  open.write(get("/api/v1/variables") + get("/api/v1/variables/watch"))
  let received = ""
  for await (const piece of open) {
    received += piece
    if (received.includes("data: ")) break
  }
  expect(statuses(received)).toEqual(["200", "200"])
  expect(received).toMatch(/\r\n\r\nevent: revision\nid: 1\ndata: \{"revision":1\}\n\n$/)
})

test("a request behind one whose answer closes the connection is not carried out", async () => {
  const { exchange, user } = await listening({ isStopping: () => true })
  const ann = await user()
  expect(statuses(await exchange(create(ann, "a") + create(ann, "b") + create(ann, "c")))).toEqual(["201"])
  expect(await namesOf(ann)).toEqual(["a"])
})

test.each<[string, string[]]>([
  ["no length", []],
  ["a length of 0", ["content-length: 0"]],
  ["no chunks", ["transfer-encoding: chunked", "", "0"]],
])(
  "a request that announces JSON but has no body (%s) is told what is missing, and the connection stays open",
  async (_, lines) => {
    const { exchange } = await listening()
    const answer = await exchange(...post, ...lines, "", smuggled)
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"msg":"Please fill in all fields"[\s\S]*HTTP\/1\.1 200 /)
  },
)

test("HEAD gets no body, even if its URL cannot be decoded", async () => {
  const { exchange } = await listening()
  const refused = (method: string) => exchange(`${method} /caf\u00e9 HTTP/1.1`, "host: x", "", "")
  const [head = "", body] = (await refused("GET")).split("\r\n\r\n")
  expect(head).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(body ?? "")).toMatchObject({ error: true })
  expect(await refused("HEAD")).toBe(`${head}\r\n\r\n`)
})

test.each(["TRACE", "TRACK", "CONNECT", "PROPFIND", "PATCH", "PURGE", "get", "X"])(
  "the method %s is refused, and the answer repeats nothing of the request",
  async (method) => {
    const { exchange } = await listening()
    const target = method === "CONNECT" ? "example.com:443" : "/api/collection"
    const answer = await exchange(
      `${method} ${target} HTTP/1.1`,
      "host: x",
      "cookie: planted",
      "connection: close",
      "",
      "",
    )
    expect(answer).not.toMatch(/^HTTP\/1\.1 2/)
    expect(answer).not.toContain("planted")
  },
)

test("the Host header of a request appears in no page, answer or header", async () => {
  const { exchange } = await listening()
  for (const path of [
    "/",
    "/login",
    "/api/users/me",
    "/api/docs",
    "/api/openapi.json",
    "/api/nothing",
    "//evil.example",
  ]) {
    for (const host of [
      "evil.example",
      "evil.example\r\nx-forwarded-host: evil.example",
      "x\r\nforwarded: host=evil.example",
    ]) {
      const answer = await exchange(`GET ${path} HTTP/1.1`, `host: ${host}`, "connection: close", "", "")
      expect(answer).toMatch(/^HTTP\/1\.1 [24]/)
      expect(answer).not.toContain("evil.example")
      expect(answer).not.toMatch(/^location:/im)
    }
  }
})

test("a forwarded client address is used only if a proxy is trusted", async () => {
  const loggedAddresses = async (env: Record<string, string>) => {
    const { guest, log } = await testApp({ env })
    await guest.get("/users/me", { "x-forwarded-for": "203.0.113.7", "x-real-ip": "203.0.113.7" })
    return log.map((line) => JSON.parse(line).address).filter(Boolean)
  }
  expect(await loggedAddresses({})).toEqual(["127.0.0.1"])
  expect(await loggedAddresses({ ENVKEEP_TRUST_PROXY: "1" })).toEqual(["203.0.113.7"])
})
