import type { ApiKey } from "@envkeep/contract"
import type { Cleanup } from "../cleanup.ts"
import { call } from "../client.ts"
import type { Served } from "../served.ts"
import { startSideProcess } from "../side-process.ts"
import { newCollection, newEnvironment } from "../stock.ts"

/** What the attackers know: they own an account, collections full of awkward values, and keys. */
export interface Target {
  port: number
  cookie: string
  /** Of a small environment. */
  key: string
  /** A collection as large as it may be, full of control characters, which are six times as long in JSON. */
  fullCollectionId: number
  /** One environment of it, and its key. */
  full: { id: number; key: string }
  /** An environment as large as it may be, full of quotes. */
  quotes: { id: number; key: string }
  /** A small environment to write to. */
  scratchId: number
}

/** Fills the attacker's account. */
export async function prepareTarget({ url, port, stocked }: Pick<Served, "url" | "port" | "stocked">): Promise<Target> {
  const { cookie, key, collectionId } = stocked
  const headers = { cookie }
  const post = <Data>(path: string, body: unknown) => call<Data>(url, { method: "POST", path, headers, body })
  const fill = async (collectionId: number, name: string, value: string) => {
    const id = await newEnvironment(url, { cookie, collectionId, name })
    for (let at = 0; at < 60; at++) {
      await post("/collectionItem", { name: `N_${at}`, value: `x${value}`, subCollectionId: id })
    }
    const { key } = await post<ApiKey>("/api-key", { name, subCollectionId: id })
    return { id, key: key ?? "" }
  }
  const fullCollectionId = await newCollection(url, cookie, "full")
  const full = await fill(fullCollectionId, "one", "\u0001".repeat(65_000))
  for (const name of ["two", "three", "four"]) await fill(fullCollectionId, name, "\u0001".repeat(65_000))
  const quotes = await fill(await newCollection(url, cookie, "quotes"), "one", "'".repeat(65_000))
  const scratchId = await newEnvironment(url, { cookie, collectionId, name: "scratch" })
  return { port, cookie, key, fullCollectionId, full, quotes, scratchId }
}

/**
 * Starts an attack, and returns what ends it. Resolves when the attack has begun. An attacker has a machine of its own, so
 * what it has to do must delay neither the server nor the one who measures: it runs only when the machine is idle.
 */
export async function startAttack(
  cleanup: Pick<Cleanup, "later">,
  name: string,
  target: Target,
): Promise<() => Promise<void>> {
  const attacker = startSideProcess(cleanup, "attacks/attacker.ts", { isIdle: true })
  await attacker.ask({ name, target })
  return attacker.end
}
