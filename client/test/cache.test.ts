import { execFileSync } from "node:child_process"
import { mkdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { waitTimeoutMs } from "@envkeep/testing/time-limits.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { load } from "../src/index.ts"
import { answer, faultyProxy } from "./proxy.ts"
import { anyKey, strangeServer } from "./strange-server.ts"
import { failFast, failure, temporaryFolder, world } from "./world.ts"

const secret = "s3cr3t value of ours"

async function cachedWorld() {
  const made = await world([{ name: "TOKEN", value: secret }])
  const proxy = await faultyProxy(made.url)
  const file = join(await temporaryFolder(), "cache")
  const lines: string[] = []
  const options = failFast({ url: proxy.url, key: made.key, cache: { file }, warn: (line) => void lines.push(line) })
  return { ...made, proxy, file, lines, options }
}

test("when the server is away, the last good answer is used and marked as cached", async () => {
  const { proxy, options, bulk, lines } = await cachedWorld()
  await load(options)
  await bulk([{ name: "TOKEN", value: "newer" }])
  await load(options)
  for (const mode of ["cut", answer("503 Service Unavailable"), answer("429 Too Many Requests")] as const) {
    proxy.mode = mode
    const env = await load(options)
    expect([env.source, env.revision, env.json()]).toEqual(["cache", 3, { TOKEN: "newer" }])
  }
  proxy.mode = "pass"
  expect((await load(options)).source).toBe("live")
  expect(lines).toEqual([])
})

test("a revision is cached as that one only, and never passes for the current values", async () => {
  const { proxy, options, bulk, lines, file } = await cachedWorld()
  await bulk([{ name: "TOKEN", value: "newer" }])
  await load({ ...options, revision: 2 })
  proxy.mode = "cut"
  const env = await load({ ...options, revision: 2 })
  expect([env.source, env.json()]).toEqual(["cache", { TOKEN: secret }])
  for (const revision of [undefined, 3]) {
    expect(await failure(load({ ...options, revision }))).toMatchObject({ code: "unreachable" })
  }
  expect(lines).toEqual([`the cache ${file}.pinned is of another revision: it is ignored`])

  // The current values serve a reader of exactly their revision too.
  proxy.mode = "pass"
  await load(options)
  proxy.mode = "cut"
  expect((await load({ ...options, revision: 3 })).json()).toEqual({ TOKEN: "newer" })
  expect((await load(options)).json()).toEqual({ TOKEN: "newer" })

  // To look at an earlier one does not replace them.
  proxy.mode = "pass"
  await load({ ...options, revision: 2 })
  proxy.mode = "cut"
  const current = await load(options)
  expect([current.source, current.json()]).toEqual(["cache", { TOKEN: "newer" }])
  expect((await load({ ...options, revision: 2 })).json()).toEqual({ TOKEN: secret })
})

test("a revision in the cache of an earlier version is still found, and does not pass for the current values", async () => {
  const { proxy, options, file, lines } = await cachedWorld()
  await load({ ...options, revision: 2 })
  await rename(`${file}.pinned`, file)
  proxy.mode = "cut"
  expect((await load({ ...options, revision: 2 })).json()).toEqual({ TOKEN: secret })
  expect(await failure(load(options))).toMatchObject({ code: "unreachable" })
  expect(lines).toEqual([`the cache ${file} is of another revision: it is ignored`])
})

test.each([
  ["an hour", undefined, 61, 24 * 60],
  ["half of maxStale", 3_600_000, 31, 60],
])("while a watch confirms the values, the cache is written again after %s", async (_, maxStale, minutes, limit) => {
  let isAway = false
  const watches: ServerResponse[] = []
  const url = await strangeServer((request, response) => {
    if (isAway) response.writeHead(503).end()
    else if (request.url?.endsWith("/watch")) watches.push(response.writeHead(200))
    else response.writeHead(200, { "envkeep-revision": "7" }).end('{"A":"1"}')
  })
  const file = join(await temporaryFolder(), "cache")
  const options = failFast({ url, key: anyKey, timeout: 60_000, cache: { file, maxStale } })
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const start = Date.now()
  const at = (passed: number) => vi.setSystemTime(start + passed * 60_000)
  const env = await load(options)
  onTestFinished(env.watch(() => undefined))
  const watching = await vi.waitFor(() => watches[0] ?? Promise.reject(new Error("not connected")), waitTimeoutMs)
  const first = await readFile(file)

  at(minutes)
  watching.write('event: revision\ndata: {"revision":7}\n\n')
  await vi.waitFor(async () => expect((await readFile(file)).equals(first)).toBe(false), waitTimeoutMs)
  const second = await readFile(file)
  at(2 * minutes)
  watching.write(":\n\n")
  await vi.waitFor(async () => expect((await readFile(file)).equals(second)).toBe(false), waitTimeoutMs)

  isAway = true
  at(2 * minutes + limit - 1)
  expect((await load(options)).source).toBe("cache")
  at(2 * minutes + limit + 1)
  expect(await failure(load(options))).toMatchObject({ code: "server" })
})

test("the file is readable by its owner only, and shows no name, value or key", async () => {
  const { options, file, key, url } = await cachedWorld()
  await load(options)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const first = await readFile(file)
  for (const hidden of ["TOKEN", secret, key, url]) expect(first.includes(hidden)).toBe(false)
  await load(options)
  expect((await readFile(file)).equals(first)).toBe(false)
})

test("a key that the server refuses never falls back to the cache", async () => {
  const { options, ann, keyId, lines } = await cachedWorld()
  await load(options)
  await ann.delete(`/api-key/${keyId}`)
  expect(await failure(load(options))).toMatchObject({ code: "bad_key" })
  expect(lines).toEqual([])
})

test("an answer older than maxStale, or from the future, is not used", async () => {
  const { options, proxy, file, lines } = await cachedWorld()
  await load(options)
  proxy.mode = "cut"
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const at = async (hours: number, maxStale?: number) => {
    vi.setSystemTime(start + hours * 3_600_000)
    return load({ ...options, cache: { file, maxStale } })
  }
  const start = Date.now()
  expect((await at(23)).source).toBe("cache")
  expect((await at(-23)).source).toBe("cache")
  expect((await at(47, 48 * 3_600_000)).source).toBe("cache")
  for (const hours of [25, -25]) expect(await failure(at(hours))).toMatchObject({ code: "unreachable" })
  expect(await failure(at(1, 0))).toMatchObject({ code: "unreachable" })
  expect(lines).toEqual(Array(3).fill(`the cache ${file} is too old: it is ignored`))
})

test("a damaged cache is ignored with one line, whichever byte is wrong", async () => {
  const { options, proxy, file, lines } = await cachedWorld()
  await load(options)
  proxy.mode = "cut"
  const good = await readFile(file)
  const line = `the cache ${file} is damaged or belongs to another key or server: it is ignored`
  const damaged = [
    ...Array.from({ length: 40 }, (_, step) => {
      const copy = Buffer.from(good)
      const at = Math.floor((step * good.length) / 40)
      copy[at] = (copy[at] ?? 0) ^ 1
      return copy
    }),
    good.subarray(0, 30),
    good.subarray(0, -1),
    Buffer.concat([good, Buffer.from("x")]),
    Buffer.from("{}"),
    Buffer.alloc(0),
  ]
  for (const copy of damaged) {
    lines.length = 0
    await writeFile(file, copy)
    expect(await failure(load(options))).toMatchObject({ code: "unreachable" })
    expect(lines).toEqual([line])
  }
  await writeFile(file, good)
  expect((await load(options)).source).toBe("cache")
})

test("what is not a file, or too large to be a cache, is ignored with one line", async () => {
  const { options, proxy, file, lines } = await cachedWorld()
  proxy.mode = "cut"
  execFileSync("mkfifo", [file])
  expect(await failure(load(options))).toMatchObject({ code: "unreachable" })
  await rm(file)
  await writeFile(file, "envkeep cache 1\n")
  await truncate(file, 2 ** 40)
  expect(await failure(load(options))).toMatchObject({ code: "unreachable" })
  const line = `the cache ${file} is damaged or belongs to another key or server: it is ignored`
  expect(lines).toEqual([line, line])
})

test("a cache of another key or server is ignored with one line", async () => {
  const { options, proxy, url, ann, environment, lines } = await cachedWorld()
  const other = await ann.apiKey(environment, "other")
  await load(options)
  proxy.mode = "cut"
  expect(await failure(load({ ...options, key: other.key }))).toMatchObject({ code: "unreachable" })
  const elsewhere = await faultyProxy(url)
  elsewhere.mode = "cut"
  expect(await failure(load({ ...options, url: elsewhere.url }))).toMatchObject({ code: "unreachable" })
  expect(lines).toHaveLength(2)
})

test("without a cache file there is no fallback, and a file that cannot be written causes a warning", async () => {
  const { options, proxy, file, lines } = await cachedWorld()
  proxy.mode = "cut"
  expect(await failure(load(options))).toMatchObject({ code: "unreachable" })
  expect(lines).toEqual([])
  proxy.mode = "pass"
  await mkdir(file)
  expect((await load(options)).get("TOKEN")).toBe(secret)
  expect(lines).toEqual([expect.stringMatching(/^the cache .* could not be written: EISDIR/)])
})
