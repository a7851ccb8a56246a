import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { expect, onTestFinished, test, vi } from "vitest"
import { check, EnvkeepError, load, type Options } from "../src/index.ts"
import { answer, faultyProxy } from "./proxy.ts"
import { anyKey } from "./strange-server.ts"
import { failFast, failure, temporaryFolder, world } from "./world.ts"

const pem = "-----BEGIN KEY-----\nabc\n-----END KEY-----\n"
const odd = [
  { name: "2", value: "second" },
  { name: "1", value: "first" },
  { name: "__proto__", value: "no prototype" },
  { name: "constructor", value: "" },
  { name: "PEM", value: pem },
  { name: "a name with spaces: žluť 😀", value: "'\"`$HOME\\\t\r\n\u0001\u2028\ufeff" },
]

test("everything in the environment is read, in order and byte for byte", async () => {
  const { url, key } = await world(odd)
  const env = await load({ url, key })
  expect(env.variables).toEqual(odd)
  expect([env.revision, env.source, env.damaged]).toEqual([2, "live", []])
  expect([env.get("PEM"), env.get("__proto__"), env.get("toString")]).toEqual([pem, "no prototype", undefined])
  expect(Object.entries(env.json()).sort()).toEqual(odd.map(({ name, value }) => [name, value]).sort())
  expect(Object.getPrototypeOf(env.json())).toBe(Object.prototype)
})

test("a revision is read as it was, and is not watched", async () => {
  const { url, key, bulk } = await world(odd)
  await bulk([{ name: "A", value: "new" }])
  const env = await load({ url, key, revision: 2 })
  expect([env.variables, env.revision]).toEqual([odd, 2])
  const sentence = "watch follows the current revision: load without a revision"
  expect(() => env.watch(() => undefined)).toThrow(new EnvkeepError("bad_option", sentence))
  expect(await failure(load({ url, key, revision: 4 }))).toMatchObject({
    code: "server",
    message: `The server at ${url} says: Revision not found`,
  })
  for (const revision of [0, -1, 1.5, Number.NaN, "2"]) {
    expect(await failure(load({ url, key, revision } as Options))).toMatchObject({
      code: "bad_option",
      message: "revision must be a whole number, 1 or more",
    })
  }
})

test("hostile names and values go through server and client unchanged", async () => {
  const { url, key, bulk } = await world([])
  const text = fc.string({ unit: "binary", maxLength: 40 }).map((value) => value.replaceAll("\0", ""))
  const name = text
    .map((value) => value.replace(/[=\r\n\u0085\u2028\u2029]/g, "").trim())
    .filter((value) => value !== "")
  const list = fc.uniqueArray(fc.record({ name, value: text }), { selector: (item) => item.name, minLength: 1 })
  await fc.assert(
    fc.asyncProperty(list, async (variables) => {
      expect((await bulk(variables)).status).toBe(200)
      const { variables: read } = await load({ url, key })
      expect(new Map(read.map((item) => [item.name, item.value]))).toEqual(
        new Map(variables.map((item) => [item.name, item.value])),
      )
    }),
    { numRuns: 25 },
  )
})

test("raw text holds what fits, and refuses by name what does not", async () => {
  const { url, key, bulk } = await world([{ name: "A", value: " x=1 " }])
  expect((await load({ url, key })).raw()).toBe("A= x=1 \n")
  await bulk([{ name: "PEM", value: pem }])
  const env = await load({ url, key })
  expect(() => env.raw()).toThrow(
    new EnvkeepError("refused_format", 'The format raw cannot hold "PEM" (its value has a line break)'),
  )
})

test("a URL may end in slashes, and a key may have spaces around it", async () => {
  const { url, key } = await world()
  expect((await load({ url: `${url}//`, key: ` ${key}\n` })).get("A")).toBe("1")
})

test("apply fills process.env, and variables that are already set win unless overridden", async () => {
  const names = ["ENVKEEP_TEST_A", "ENVKEEP_TEST_B", "constructor", "__proto__"]
  const { url, key } = await world(names.map((name) => ({ name, value: "from the store" })))
  onTestFinished(() => {
    for (const name of names) delete process.env[name]
  })
  process.env["ENVKEEP_TEST_A"] = "was here"
  const env = await load({ url, key })
  const now = () => names.map((name) => Object.getOwnPropertyDescriptor(process.env, name)?.value)
  env.apply()
  expect(now()).toEqual(["was here", "from the store", "from the store", "from the store"])
  env.apply({ override: true })
  expect(now()).toEqual(names.map(() => "from the store"))
})

const mark = "# Written by envkeep save, which replaces the whole file.\n"

test("save writes a complete file that only its owner can read, and follows a link", async () => {
  const { url, key } = await world([{ name: "PEM", value: pem }])
  const folder = await temporaryFolder()
  const env = await load({ url, key })
  await mkdir(join(folder, "real"))
  await writeFile(join(folder, "real/.env"), "old", { mode: 0o644 })
  await symlink("real/.env", join(folder, "link"))
  await env.save(join(folder, "link"))
  expect(await readFile(join(folder, "real/.env"), "utf8")).toBe(`${mark}PEM='${pem}'\n`)
  expect((await stat(join(folder, "real/.env"))).mode & 0o777).toBe(0o600)
  expect((await lstat(join(folder, "link"))).isSymbolicLink()).toBe(true)
  await symlink("real/new", join(folder, "link-to-no-file-yet"))
  await env.save(join(folder, "link-to-no-file-yet"))
  await env.save(join(folder, "secret.yaml"), { format: "yaml" })
  expect(await readFile(join(folder, "secret.yaml"), "utf8")).toBe(`${mark}"PEM": ${JSON.stringify(pem)}\n`)
  expect((await readdir(folder)).sort()).toEqual(["link", "link-to-no-file-yet", "real", "secret.yaml"])
  expect((await readdir(join(folder, "real"))).sort()).toEqual([".env", "new"])
})

test("a failed save leaves the old file, and nothing else", async () => {
  const { url, key } = await world([{ name: "A B", value: "1" }])
  const folder = await temporaryFolder()
  const env = await load({ url, key })
  await writeFile(join(folder, ".env"), "old")
  await mkdir(join(folder, "taken"))
  expect(await failure(env.save(join(folder, ".env")))).toMatchObject({
    code: "refused_format",
    message: expect.stringMatching(/^The format dotenv cannot hold "A B" \(its name has characters other than/),
  })
  expect(await failure(env.save(join(folder, "taken"), { format: "raw" }))).toMatchObject({ code: "EISDIR" })
  expect(await readdir(folder)).toEqual([".env", "taken"])
  expect(await readFile(join(folder, ".env"), "utf8")).toBe("old")
})

test("a value damaged on the server is named and left out", async () => {
  const { url, key, ann, environment, db } = await world([{ name: "GOOD", value: "1" }])
  const damaged = await ann.item(environment, "schlüssel, kaputt", "x")
  await db
    .updateTable("item")
    .set({ sealed_value: Buffer.alloc(40) })
    .where("id", "=", damaged.id)
    .execute()
  await ann.item(environment, "LATER", "2")
  const env = await load({ url, key })
  expect([env.damaged, env.json()]).toEqual([["schlüssel, kaputt"], { GOOD: "1", LATER: "2" }])
})

test("without a URL or a key it says which one is missing", async () => {
  vi.stubEnv("ENVKEEP_URL", undefined)
  vi.stubEnv("ENVKEEP_KEY", undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const url = "http://localhost:3000"
  expect(await failure(load())).toMatchObject({ code: "no_url", message: "No server given: set ENVKEEP_URL" })
  expect(await failure(load({ url: "envkeep.example.com" }))).toMatchObject({ code: "no_url" })
  expect(await failure(load({ url: "file:///etc" }))).toMatchObject({ code: "no_url" })
  expect(await failure(load({ url }))).toMatchObject({
    code: "no_key",
    message: "No API key given: set ENVKEEP_KEY",
  })
})

const timeoutRule = "timeout must be a whole number from 1 to 2147483647"
const retriesRule = "retries must be a whole number, 0 or more"
const fileRule = "cache.file must be the path of a file"
const staleRule = "cache.maxStale must be a number of milliseconds, 0 or more"

test.each<[string, Record<string, unknown>, string]>([
  ["timeout", { timeout: Number.NaN }, timeoutRule],
  ["timeout", { timeout: 0 }, timeoutRule],
  ["timeout", { timeout: 2 ** 31 }, timeoutRule],
  ["timeout", { timeout: "5000" }, timeoutRule],
  ["retries", { retries: Number.NaN }, retriesRule],
  ["retries", { retries: -1 }, retriesRule],
  ["retries", { retries: Number.POSITIVE_INFINITY }, retriesRule],
  ["cache", { cache: "file" }, fileRule],
  ["cache", { cache: null }, fileRule],
  ["maxStale", { cache: { file: "x", maxStale: Number.NaN } }, staleRule],
  ["maxStale", { cache: { file: "x", maxStale: -1 } }, staleRule],
  ["maxStale", { cache: { file: "x", maxStale: "60000" } }, staleRule],
  ["warn", { warn: "line" }, "warn must be a function"],
])("a wrong %s (%j) is reported before anything is sent", async (_, options, message) => {
  expect(await failure(load({ url: "http://127.0.0.1:9", key: anyKey, ...options }))).toMatchObject({
    code: "bad_option",
    message,
  })
})

test("a watch or a format that does not exist is reported at once", async () => {
  const { url, key } = await world()
  const env = await load({ url, key })
  expect(() => env.watch("now" as never)).toThrow(new EnvkeepError("bad_option", "watch takes functions"))
  for (const name of ["xml", "constructor"]) expect(() => env.text(name as never)).toThrow(/^The formats are json, /)
})

test("the URL and the key come from the environment", async () => {
  const { url, key } = await world()
  vi.stubEnv("ENVKEEP_URL", url)
  vi.stubEnv("ENVKEEP_KEY", key)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect((await load()).get("A")).toBe("1")
  expect(await check()).toEqual({ name: "ci", environment: "production", collection: "app", revision: 2 })
})

test("a mistyped key is found without a request", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  const swapped = key.replace(/^ek_(.)(.)/, (_, a, b) => `ek_${a === b ? (a === "x" ? "y" : "x") : b}${a}`)
  for (const wrong of [swapped, key.slice(0, -1), `${key}a`, key.toUpperCase(), "ek_", "secret"]) {
    const { code, message } = await failure(load(failFast({ url: proxy.url, key: wrong })))
    expect([code, message]).toEqual(["bad_key", "The API key is mistyped or incomplete: copy it again"])
  }
  expect(proxy.connections).toBe(0)
})

test("a deleted key is bad, and is not retried", async () => {
  const { url, key, keyId, ann } = await world()
  const proxy = await faultyProxy(url)
  await ann.delete(`/api-key/${keyId}`)
  const { code, message } = await failure(load({ url: proxy.url, key }))
  expect([code, message]).toEqual(["bad_key", "The API key is not valid: it was deleted or is from another server"])
  expect(await failure(check({ url: proxy.url, key }))).toMatchObject({ code: "bad_key" })
  expect(proxy.connections).toBe(2)
})

test("temporary failures are retried: a closed connection, a silent one, a server that is busy or broken", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  proxy.next = ["cut", answer("503 Service Unavailable", "", { "retry-after": "0" })]
  expect((await load({ url: proxy.url, key })).get("A")).toBe("1")
  proxy.next = ["stall", answer("500 Internal Server Error", "{}")]
  expect((await load({ url: proxy.url, key, timeout: 200 })).get("A")).toBe("1")
  expect(proxy.connections).toBe(6)
})

test("after the last attempt it says what was wrong, and never shows the key", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  const at = `The server at ${proxy.url}`
  const envelope = JSON.stringify({ error: true, msg: "Too many\u001b[31m attempts", data: null })
  const cases: [typeof proxy.mode, string, string, number][] = [
    ["cut", "unreachable", `${at} cannot be reached: the connection was closed`, 2],
    ["stall", "timeout", `${at} did not answer within 150 ms`, 2],
    [answer("502 Bad Gateway", "<html>"), "server", `${at} answered with status 502`, 2],
    [answer("429 Too Many Requests", envelope), "server", `${at} says: Too many [31m attempts`, 2],
    [answer("404 Not Found", ""), "server", `${at} answered with status 404`, 1],
    [answer("302 Found", "", { location: "data:x" }), "server", `${at} answered with status 302`, 1],
    [answer("200 OK", "<html>"), "server", `${proxy.url} is not an Envkeep server`, 1],
    [answer("200 OK", "{}"), "server", `${proxy.url} is not an Envkeep server`, 1],
  ]
  for (const [mode, code, message, tries] of cases) {
    Object.assign(proxy, { mode, connections: 0 })
    const error = await failure(load({ url: proxy.url, key, timeout: 150, retries: 1 }))
    expect([error.code, error.message, proxy.connections]).toEqual([code, message, tries])
    expect(error).toBeInstanceOf(EnvkeepError)
    expect(JSON.stringify(error) + String((error as EnvkeepError).stack)).not.toContain(key)
  }
  const nowhere = await failure(load(failFast({ url: "http://127.0.0.1:9", key })))
  expect(nowhere.message).toBe("The server at http://127.0.0.1:9 cannot be reached: connection refused")
})

test("an answer cut off in the middle is never taken for a complete one", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  const half = 'HTTP/1.1 200 OK\r\nenvkeep-revision: 1\r\ncontent-length: 99\r\n\r\n{"A":"1"}'
  proxy.mode = { answer: half }
  expect(await failure(load(failFast({ url: proxy.url, key })))).toMatchObject({ code: "unreachable" })
})

test("a redirect is reported and not followed, so that the key goes nowhere else", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  const elsewhere = await faultyProxy(url)
  proxy.mode = answer("301 Moved Permanently", "", { location: `${elsewhere.url}/x?y` })
  const { code, message } = await failure(load({ url: proxy.url, key }))
  expect([code, message]).toEqual([
    "server",
    `The server at ${proxy.url} has moved to ${elsewhere.url}: set ENVKEEP_URL`,
  ])
  expect(elsewhere.connections).toBe(0)
})
