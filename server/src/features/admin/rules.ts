import type { admin, Counters, DailyCount, InputOf, Product } from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import type { Core, Door } from "../../core/core.ts"
import { dayMs } from "../../durations.ts"
import * as store from "./store.ts"

export async function counters({ db }: Core): Promise<Counters> {
  return { lastLoaded: new Date().toISOString(), ...countersOf(await store.countAll(db)) }
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Writes down how many of each thing there are, unless that was done today. A day without a server has no count. */
export async function countToday({ db, bookkeep }: Core): Promise<void> {
  const day = dayOf(Date.now())
  if (await store.isCounted(db, day)) return
  const counts = await store.countAll(db)
  await bookkeep((tx) => store.insertDailyCount(tx, day, counts))
}

export async function dailyCounts(
  { db }: Core,
  { days = 30 }: InputOf<typeof admin.dailyCounts>,
): Promise<{ days: DailyCount[] }> {
  const rows = await store.dailyCounts(db, dayOf(Date.now() - (days - 1) * dayMs))
  return { days: rows.map(({ day, ...counts }) => ({ day, ...countersOf(counts) })) }
}

function countersOf(counts: store.Counts): Omit<Counters, "lastLoaded"> {
  return {
    productsCount: counts.products,
    usersCount: counts.users,
    collectionsCount: counts.collections,
    environmentsCount: counts.environments,
    itemsCount: counts.items,
    subscriptionsCount: counts.subscriptions,
  }
}

export async function listProducts({ db }: Core): Promise<{ products: Product[] }> {
  return { products: (await store.productRows(db)) as Product[] }
}

export function createProduct(
  core: Core,
  caller: UserCaller,
  input: InputOf<typeof admin.createProduct>,
): Promise<Product> {
  return core.change(caller, "product.create", async (tx, notes) => {
    const product = await store.insertProduct(tx, input)
    notes.about({ productId: product.id })
    return product as Product
  })
}

export function listAdmins({ db }: Door): Promise<string[]> {
  return store.adminEmails(db)
}
