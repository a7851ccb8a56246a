import type { ApiKey, Collection } from "@envkeep/contract"
import type { Product } from "../product.ts"
import { call, newEnvironment, type Stock } from "../stock.ts"

/** What the attackers know: they own an account, collections full of awkward values, and keys. */
export interface Target {
  port: number
  cookie: string
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
export async function prepareTarget({ url, port }: Product, { cookie, environment }: Stock): Promise<Target> {
  const headers = { cookie }
  const post = <Data>(path: string, body: unknown) => call<Data>(url, { method: "POST", path, headers, body })
  const collection = async (name: string) => (await post<Collection>("/collection", { name, description: "" })).id
  const fill = async (collectionId: number, name: string, value: string) => {
    const id = await newEnvironment(url, { cookie, collectionId, name })
    for (let at = 0; at < 60; at++) {
      await post("/collectionItem", { name: `N_${at}`, value: `x${value}`, subCollectionId: id })
    }
    const { key } = await post<ApiKey>("/api-key", { name, subCollectionId: id })
    return { id, key: key ?? "" }
  }
  const fullCollectionId = await collection("full")
  const full = await fill(fullCollectionId, "one", "\u0001".repeat(65_000))
  for (const name of ["two", "three", "four"]) await fill(fullCollectionId, name, "\u0001".repeat(65_000))
  const quotes = await fill(await collection("quotes"), "one", "'".repeat(65_000))
  const scratchId = await newEnvironment(url, { cookie, collectionId: environment.collectionId, name: "scratch" })
  return { port, cookie, fullCollectionId, full, quotes, scratchId }
}
