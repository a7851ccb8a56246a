import type { Db } from "@envkeep/server/db/schema.ts"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import type { Bench } from "./bench.ts"
import { type User, userWith } from "./client.ts"
import { type Line, openLine, requestText } from "./line.ts"
import type { Engine } from "./options.ts"
import { type Product, type ProductOptions, startProduct } from "./product.ts"
import { readRequest, type Stock, stock, writeRequest } from "./stock.ts"
import { inStore, newStoreLocation } from "./store.ts"

/** A store with an owner, an environment, and a key to it. */
export interface Store {
  location: StoreLocation
  stocked: Stock
}

interface Contents {
  variables?: number
  /** Adds to the store, directly in the database. */
  fill?: (db: Db, stocked: Stock) => Promise<void>
}

/** Makes a store by the calls that an owner makes, and stops the product again. */
export async function makeStore(bench: Bench, engine: Engine, { variables = 50, fill }: Contents = {}): Promise<Store> {
  const store = await addOwner(bench, await newStoreLocation(bench, engine), variables)
  if (fill !== undefined) await inStore(store.location, (db) => fill(db, store.stocked))
  return store
}

/** The same on a store that may hold other things. */
export async function addOwner({ cleanup }: Bench, location: StoreLocation, variables: number): Promise<Store> {
  const maker = await startProduct(cleanup, location)
  const stocked = await stock(maker.url, variables)
  await maker.stop()
  return { location, stocked }
}

/** The product on a store, and the calls that most measurements make. */
export interface Served extends Store, Product {
  owner: User
  /** A call over a connection that stays open; how long it took, in ms. */
  ask(request: string): Promise<number>
  /** A call of the owner. */
  get(path: string): Promise<number>
  /** A read by key. */
  read(): Promise<number>
  /** Gives one item a value that it did not have. */
  change(): Promise<number>
  /** The first read after a change. */
  coldRead(): Promise<number>
  /** Reads by key over 64 connections, in one turn of a race: answers a second. */
  readRate(): Promise<number>
}

export async function serve(bench: Bench, store: Store, options?: ProductOptions): Promise<Served> {
  const { stocked } = store
  const product = await startProduct(bench.cleanup, store.location, options)
  const { port } = product
  const request = readRequest(stocked.key)
  let line: Line | undefined
  let changes = 0
  const ask = async (request: string) => {
    line ??= await openLine(port)
    return (await line.ask(request, 200)).ms
  }
  const change = () => ask(writeRequest(stocked, ++changes))
  return {
    ...store,
    ...product,
    owner: userWith(product.url, stocked.cookie),
    ask,
    get: (path) => ask(requestText({ path: `/api${path}`, headers: { cookie: stocked.cookie } })),
    read: () => ask(request),
    change,
    coldRead: () => change().then(() => ask(request)),
    readRate: async () => (await bench.load({ port, request, seconds: bench.options.race.seconds })).perSecond,
    async stop() {
      line?.close()
      return product.stop()
    },
  }
}

/** The product on a new store. */
export async function serveNew(bench: Bench, engine: Engine, contents?: Contents): Promise<Served> {
  return serve(bench, await makeStore(bench, engine, contents))
}
