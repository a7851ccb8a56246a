import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { testApp } from "@envkeep/testing/app.ts"
import { expect, test } from "vitest"

// Requests that a proxy and this server could interpret differently (request smuggling), and methods we do not need.

async function listening() {
  const app = await testApp()
  const { port } = new URL(await app.app.listen({ port: 0, host: "127.0.0.1" }))
  const exchange = async (...lines: string[]) => {
    const socket = connect(Number(port), "127.0.0.1")
    socket.write(lines.join("\r\n"))
    return text(socket).catch(() => "")
  }
  return { ...app, exchange }
}

const smuggled = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
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
])("%s is refused, and nothing after it is treated as a request", async (_, lines) => {
  const { exchange } = await listening()
  const answer = await exchange(...lines)
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(answer).not.toContain('"status":"ok"')
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
