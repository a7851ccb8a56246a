import { hostname } from "node:os"
import { join } from "node:path"
import { waitTimeoutMs } from "@envkeep/testing/time-limits.ts"
import { afterEach, expect, onTestFinished, test, vi } from "vitest"
import { type Env, type EnvkeepError, load } from "../src/index.ts"
import { readSettings } from "../src/settings.ts"
import { loadSnapshot } from "../src/snapshot.ts"
import { watch } from "../src/watch.ts"
import { answer, faultyProxy } from "./proxy.ts"
import { serverProcess } from "./server-process.ts"
import { failFast, temporaryFolder, world } from "./world.ts"

afterEach(() => void vi.unstubAllEnvs())

/** Collects what was called back, and waits for the next. */
function queue<Item>() {
  const items: Item[] = []
  let wake: () => void = () => undefined
  return {
    items,
    push(item: Item): void {
      items.push(item)
      wake()
    },
    async next(): Promise<Item> {
      while (items.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return items.shift() as Item
    },
  }
}

function watching(env: Env) {
  const changes = queue<Env>()
  const ends = queue<EnvkeepError>()
  const stop = env.watch(changes.push, ends.push)
  onTestFinished(stop)
  return { changes, ends, stop }
}

test("each change calls back with the new values", async () => {
  const { url, key, bulk } = await world()
  const env = await load({ url, key })
  const { changes } = watching(env)
  await bulk([{ name: "A", value: "2" }])
  expect((await changes.next()).json()).toEqual({ A: "2" })
  await bulk([{ name: "B", value: "3" }])
  expect((await changes.next()).json()).toEqual({ B: "3" })
  expect(env.json()).toEqual({ A: "1" })
})

test("a change to a base calls back with the new values of its heir", async () => {
  const { url, key, ann, environment } = await world()
  const base = await ann.environment("base", environment.collectionId)
  await ann.put(`/environments/${environment.id}/base`, { baseId: base.id })
  const { changes } = watching(await load({ url, key }))
  const { id } = await ann.item(base, "SHARED", "2")
  expect((await changes.next()).json()).toEqual({ A: "1", SHARED: "2" })
  await ann.delete(`/collectionItem/${id}`)
  expect((await changes.next()).json()).toEqual({ A: "1" })
})

test("a change made between loading and watching is not missed", async () => {
  const { url, key, bulk } = await world()
  const env = await load({ url, key })
  await bulk([{ name: "A", value: "2" }])
  expect((await watching(env).changes.next()).get("A")).toBe("2")
})

test("while a variable of `only` is missing, there is a warning and no call", async () => {
  const { url, key, bulk } = await world()
  const warnings = queue<string>()
  const { changes } = watching(await load({ url, key, only: ["A"], warn: warnings.push }))
  await bulk([{ name: "B", value: "1" }])
  expect(await warnings.next()).toBe('the environment no longer has the variable "A": the last good values stay in use')
  await bulk([{ name: "A", value: "2" }])
  expect((await changes.next()).json()).toEqual({ A: "2" })
  expect([changes.items, warnings.items]).toEqual([[], []])
})

test("renaming the environment is not a change of its values", async () => {
  const { url, key, ann, environment, bulk } = await world()
  const { changes } = watching(await load({ url, key }))
  await ann.put(`/subcollection/${environment.id}`, { name: "renamed" })
  await bulk([{ name: "A", value: "2" }])
  expect((await changes.next()).get("A")).toBe("2")
  expect(changes.items).toEqual([])
})

test("a watch survives the death of the server, and catches up on what it missed", async () => {
  const server = await serverProcess()
  const { changes, ends } = watching(await load(failFast(server)))
  await server.bulk([{ name: "A", value: "2" }])
  expect((await changes.next()).get("A")).toBe("2")
  await server.kill()
  await server.restart()
  await server.bulk([{ name: "A", value: "3" }])
  expect((await changes.next()).get("A")).toBe("3")
  expect([changes.items, ends.items]).toEqual([[], []])
})

test("a watch that started from the cache continues with the live values", async () => {
  const server = await serverProcess()
  const options = failFast({ ...server, cache: { file: join(await temporaryFolder(), "cache") } })
  await load(options)
  await server.bulk([{ name: "A", value: "2" }])
  await server.kill()
  const env = await load(options)
  expect([env.source, env.get("A")]).toEqual(["cache", "1"])
  const { changes } = watching(env)
  await server.restart()
  const next = await changes.next()
  expect([next.source, next.get("A")]).toEqual(["live", "2"])
})

test("a failure while fetching the new values is retried", async () => {
  const { url, key, bulk } = await world()
  const proxy = await faultyProxy(url)
  const { changes } = watching(await load(failFast({ url: proxy.url, key })))
  await bulk([{ name: "A", value: "2" }])
  expect((await changes.next()).get("A")).toBe("2")
  proxy.next = ["cut", "cut"]
  await bulk([{ name: "A", value: "3" }])
  expect((await changes.next()).get("A")).toBe("3")
})

test("an answer that is older than the revision that was told is fetched again", async () => {
  const { url, key, bulk } = await world()
  const proxy = await faultyProxy(url)
  const { changes } = watching(await load(failFast({ url: proxy.url, key })))
  await bulk([{ name: "A", value: "2" }])
  expect((await changes.next()).get("A")).toBe("2")
  proxy.next = [answer("200 OK", '{"A":"1"}', { "envkeep-revision": "2" })]
  await bulk([{ name: "A", value: "3" }])
  expect((await changes.next()).get("A")).toBe("3")
  expect(changes.items).toEqual([])
})

test("a connection that has gone silent is replaced", async () => {
  const { url, key, bulk } = await world()
  const proxy = await faultyProxy(url)
  const settings = { ...readSettings(failFast({ url: proxy.url, key })), silenceTimeoutMs: 300 }
  const changes = queue<string>()
  const stop = watch(settings, await loadSnapshot(settings), {
    onChange: ({ variables }) => changes.push(variables[0]?.value ?? ""),
    onEnd: () => undefined,
  })
  onTestFinished(stop)
  await bulk([{ name: "A", value: "2" }])
  expect(await changes.next()).toBe("2")
  proxy.freeze()
  await bulk([{ name: "A", value: "3" }])
  expect(await changes.next()).toBe("3")
})

test("when the key is deleted the watch ends and calls back", async () => {
  const { url, key, keyId, ann } = await world()
  const env = await load({ url, key })
  const { ends } = watching(env)
  await ann.delete(`/api-key/${keyId}`)
  expect(await ends.next()).toMatchObject({ code: "bad_key" })
  expect(await watching(env).ends.next()).toMatchObject({ code: "bad_key" })
})

test("nothing is called back after the watch was stopped", async () => {
  const { url, key, bulk } = await world()
  const env = await load({ url, key })
  const stopped = watching(env)
  const other = watching(env)
  await bulk([{ name: "A", value: "2" }])
  await stopped.changes.next()
  await other.changes.next()
  stopped.stop()
  await bulk([{ name: "A", value: "3" }])
  await other.changes.next()
  expect([stopped.changes.items, stopped.ends.items]).toEqual([[], []])
})

test("a program names itself by its host, by a name, or not at all, and says which revision it holds", async () => {
  const { url, key, ann, environment, bulk } = await world()
  const labels = async () => {
    const { body } = await ann.get<{ instances: { label: string; state: string }[] }>(
      `/environments/${environment.id}/instances`,
    )
    return body.data.instances.map(({ label, state }) => `${label} ${state}`)
  }
  const host = hostname()
  vi.stubEnv("npm_package_name", "shop")
  await load({ url, key })
  await load({ url, key, instance: "off" })
  const { changes } = watching(await load({ url, key, instance: "wörker 1" }))
  await vi.waitFor(
    async () => expect(await labels()).toEqual([`${host}/shop current`, "wörker 1 current"]),
    waitTimeoutMs,
  )
  await bulk([{ name: "A", value: "2" }])
  await changes.next()
  await vi.waitFor(
    async () => expect(await labels()).toEqual([`${host}/shop behind`, "wörker 1 current"]),
    waitTimeoutMs,
  )
  vi.stubEnv("ENVKEEP_INSTANCE", "off")
  expect(readSettings({ url, key }).instance).toBeUndefined()
})
