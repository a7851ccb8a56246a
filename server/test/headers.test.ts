import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect, onTestFinished } from "vitest"

type Headers = Record<string, string | string[] | undefined>
interface Answer {
  status: number
  headers: Headers
}

/** One answer of every kind, over a real connection. Each takes a different path through the server. */
async function everyKindOfAnswer(publicUrl: string): Promise<Record<string, Answer>> {
  const app = await testApp({ webDir: await builtScreens(), env: { PUBLIC_URL: publicUrl } })
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const ann = await app.user()
  const { key } = await ann.apiKey(await ann.environment())
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    new Promise<Answer>((resolve, reject) => {
      request(url + path, { method, headers, agent: false }, (response) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers })
        response.destroy()
      })
        .on("error", reject)
        .end()
    })
  const bearer = { authorization: `Bearer ${key}` }
  const asset = await get("/assets/app-1a2b.js")
  const etag = (answer: Answer) => ({ "if-none-match": String(answer.headers["etag"]) })
  const loaded = await get("/api/v1/variables", bearer)
  const kinds = {
    page: await get("/login"),
    "page, HEAD": await get("/", {}, "HEAD"),
    asset,
    "asset, unchanged": await get("/assets/app-1a2b.js", etag(asset)),
    "asset, in part": await get("/assets/app-1a2b.js", { range: "bytes=0-1" }),
    file: await get("/favicon.svg"),
    "no such file": await get("/missing.js"),
    call: await get("/api/users/me"),
    "call, with a session": await get("/api/collection", { cookie: ann.cookie }),
    "call, refused": await get("/api/collection"),
    "call, refused as cross-site": await get("/api/users/login", { origin: "https://evil.example" }, "POST"),
    "no such call": await get("/api/nothing"),
    "a URL that cannot be decoded": await get("/api/collection/%ff"),
    "unknown method": await get("/api/collection", {}, "PATCH"),
    document: await get("/api/openapi.json"),
    "document for people": await get("/api/docs"),
    health: await get("/healthz"),
    readiness: await get("/readyz"),
    "variables, from the database": loaded,
    "variables, from memory": await get("/api/v1/variables", bearer),
    "variables, unchanged": await get("/api/v1/variables", { ...bearer, ...etag(loaded) }),
    "variables, unchanged, through the router": await get("/api/v1/variables?x=1", { ...bearer, ...etag(loaded) }),
    "variables, refused": await get("/api/v1/variables", { authorization: "Bearer ek_bad" }),
    "variables, unknown format": await get("/api/v1/variables?format=xml", bearer),
    "description of a key": await get("/api/v1/key", bearer),
    events: await get("/api/v1/variables/watch", bearer),
    "events, refused": await get("/api/v1/variables/watch"),
    "not HTTP": await exchange(url, "hello\r\n\r\n"),
    "headers too large": await exchange(url, `GET / HTTP/1.1\r\nhost: x\r\na: ${"x".repeat(40_000)}\r\n\r\n`),
  }
  await app.db.destroy()
  return { ...kinds, "server error": await get("/api/collection", { cookie: ann.cookie }) }
}

test.each(["http://env.example.com", "https://env.example.com"])(
  "every kind of answer under %s has strict security headers",
  async (publicUrl) => {
    const kinds = await everyKindOfAnswer(publicUrl)
    const https = publicUrl.startsWith("https:")
    const wrong = Object.entries(kinds).flatMap(([kind, answer]) =>
      // An answer without a body cannot be shown, framed or misinterpreted, so it needs only these headers.
      (kind.startsWith("variables, unchanged") ? faultsOf304(answer, https) : faults(answer, https)).map(
        (fault) => `${kind} (${answer.status}): ${fault}`,
      ),
    )
    expect(wrong).toEqual([])
    expect(Object.values(kinds).map(({ status }) => status)).toEqual(
      expect.arrayContaining([200, 206, 304, 400, 401, 403, 404, 431, 500]),
    )
  },
)

test("only answers that are the same for all users may be cached, and only files with a hash in their name for long", async () => {
  const kinds = await everyKindOfAnswer("https://env.example.com")
  const cacheable = Object.entries(kinds).filter(([, { headers }]) => headers["cache-control"] !== "no-store")
  expect(Object.fromEntries(cacheable.map(([kind, { headers }]) => [kind, headers["cache-control"]]))).toEqual({
    page: "no-cache",
    "page, HEAD": "no-cache",
    "no such file": "no-cache",
    asset: "public, max-age=31536000, immutable",
    "asset, unchanged": "public, max-age=31536000, immutable",
    "asset, in part": "public, max-age=31536000, immutable",
    file: "public, max-age=3600",
    events: "no-store, no-transform",
  })
})

function faultsOf304({ headers }: Answer, https: boolean): string[] {
  const wanted = ["cache-control", "etag", ...(https ? ["strict-transport-security"] : [])]
  const addedByNode = ["date", "connection"]
  const sent = Object.keys(headers).filter((name) => !addedByNode.includes(name))
  return [...sent.filter((name) => !wanted.includes(name)), ...wanted.filter((name) => !sent.includes(name))]
}

function faults({ headers }: Answer, https: boolean): string[] {
  const csp = String(headers["content-security-policy"])
  const type = String(headers["content-type"])
  const isPage = type.startsWith("text/html")
  const rules: [string, boolean][] = [
    ["its type may be guessed", headers["x-content-type-options"] === "nosniff"],
    ["it may be framed", csp.includes("frame-ancestors 'none'")],
    ["it may load from anywhere", /default-src '(self|none)'/.test(csp)],
    ["it may run scripts that are not our files", !/unsafe-eval|script-src|https?:|\*/.test(csp)],
    ["a page lacks a rule", !isPage || /object-src 'none'; base-uri 'none'; form-action 'self'/.test(csp)],
    ["another window may reach it", !isPage || headers["cross-origin-opener-policy"] === "same-origin"],
    ["its address may be sent on as the referrer", !isPage || headers["referrer-policy"] === "no-referrer"],
    ["other sites may embed it", /^default-src 'none'/.test(csp) || headers[embedding] === "same-origin"],
    ["https is not required", !https || headers["strict-transport-security"] === hsts],
    ["https is required where there is none", https || headers["strict-transport-security"] === undefined],
    ["it names its software", headers["server"] === undefined && headers["x-powered-by"] === undefined],
    ["other sites may read it", headers["access-control-allow-origin"] === undefined],
    ["text without an encoding", !/^(text\/|application\/json)/.test(type) || /charset=utf-8/.test(type)],
    ["it has no rule for caches", headers["cache-control"] !== undefined],
  ]
  return rules.flatMap(([fault, holds]) => (holds ? [] : [fault]))
}

const embedding = "cross-origin-resource-policy"
const hsts = "max-age=31536000; includeSubDomains"

async function exchange(url: string, bytes: string): Promise<Answer> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  socket.end(bytes)
  const [head = ""] = (await text(socket)).split("\r\n\r\n")
  const [first = "", ...lines] = head.split("\r\n")
  const headers = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
  return { status: Number(first.split(" ")[1]), headers: Object.fromEntries(headers) }
}

async function builtScreens(): Promise<string> {
  const webDir = await mkdtemp(join(tmpdir(), "envkeep-web-"))
  onTestFinished(() => rm(webDir, { recursive: true, force: true }))
  await mkdir(join(webDir, "assets"))
  await writeFile(join(webDir, "index.html"), "<h1>Envkeep</h1>")
  await writeFile(join(webDir, "assets/app-1a2b.js"), "export {}")
  await writeFile(join(webDir, "favicon.svg"), "<svg/>")
  return webDir
}
