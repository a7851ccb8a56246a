import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { testApp } from "@envkeep/testing/app.ts"
import { expect, test } from "vitest"

// Requests that a proxy in front and this server could understand differently, and methods that nobody needs.

async function listening() {
  const app = await testApp()
  const { port } = new URL(await app.app.listen({ port: 0, host: "127.0.0.1" }))
  const speak = async (...lines: string[]) => {
    const socket = connect(Number(port), "127.0.0.1")
    socket.write(lines.join("\r\n"))
    return text(socket).catch(() => "")
  }
  return { ...app, speak }
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
  ["a chunk that is none", [...post, "transfer-encoding: chunked", "", "zz", "", smuggled]],
  ["NUL in a header", [...post, "x: a\0b", "content-length: 2", "", `{}${smuggled}`]],
  ["a bare line feed", [...post, "x: y\ncontent-length: 2", "", `{}${smuggled}`]],
  ["no host", ["GET /api/users/me HTTP/1.1", "", smuggled]],
])("%s is refused, and nothing behind it is taken for a request", async (_, lines) => {
  const { speak } = await listening()
  const answer = await speak(...lines)
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(answer).not.toContain('"status":"ok"')
})

test.each<[string, string[]]>([
  ["no length", []],
  ["a length of none", ["content-length: 0"]],
  ["no chunks", ["transfer-encoding: chunked", "", "0"]],
])("who announces JSON and sends none (%s) is told what is missing, and the connection goes on", async (_, lines) => {
  const { speak } = await listening()
  const answer = await speak(...post, ...lines, "", smuggled)
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"msg":"Please fill in all fields"[\s\S]*HTTP\/1\.1 200 /)
})

test("HEAD gets no body, also where its address cannot be read", async () => {
  const { speak } = await listening()
  const refused = (method: string) => speak(`${method} /caf\u00e9 HTTP/1.1`, "host: x", "", "")
  const [head = "", body] = (await refused("GET")).split("\r\n\r\n")
  expect(head).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(body ?? "")).toMatchObject({ error: true })
  expect(await refused("HEAD")).toBe(`${head}\r\n\r\n`)
})

test.each(["TRACE", "TRACK", "CONNECT", "PROPFIND", "PATCH", "PURGE", "get", "X"])(
  "%s is no method here, and echoes nothing",
  async (method) => {
    const { speak } = await listening()
    const target = method === "CONNECT" ? "example.com:443" : "/api/collection"
    const answer = await speak(
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

test("what a request calls the host comes back in no page, answer or header", async () => {
  const { speak } = await listening()
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
      const answer = await speak(`GET ${path} HTTP/1.1`, `host: ${host}`, "connection: close", "", "")
      expect(answer).toMatch(/^HTTP\/1\.1 [24]/)
      expect(answer).not.toContain("evil.example")
      expect(answer).not.toMatch(/^location:/im)
    }
  }
})

test("an address that a visitor makes up counts only where a proxy is trusted to pass it on", async () => {
  const guessFrom = async (env: Record<string, string>) => {
    const { guest, log } = await testApp({ env })
    await guest.get("/users/me", { "x-forwarded-for": "203.0.113.7", "x-real-ip": "203.0.113.7" })
    return log.map((line) => JSON.parse(line).address).filter(Boolean)
  }
  expect(await guessFrom({})).toEqual(["127.0.0.1"])
  expect(await guessFrom({ ENVKEEP_TRUST_PROXY: "1" })).toEqual(["203.0.113.7"])
})
