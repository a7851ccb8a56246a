import type { admin, Counters, InputOf, Product } from "@envkeep/contract"
import type { Db } from "../../db/schema.ts"
import { inTransaction } from "../../db/transaction.ts"
import { emailKey } from "../users/rules.ts"
import * as store from "./store.ts"

export async function counters(db: Db): Promise<Counters> {
  const counts = await store.countAll(db)
  return {
    lastLoaded: new Date().toISOString(),
    productsCount: counts.product,
    usersCount: counts.user,
    collectionsCount: counts.collection,
    environmentsCount: counts.environment,
    itemsCount: counts.item,
    subscriptionsCount: counts.subscription,
  }
}

export async function listProducts(db: Db): Promise<{ products: Product[] }> {
  return { products: (await store.productRows(db)) as Product[] }
}

export async function createProduct(db: Db, input: InputOf<typeof admin.createProduct>): Promise<Product> {
  return (await inTransaction(db, (tx) => store.insertProduct(tx, input))) as Product
}

export function listAdmins(db: Db): Promise<string[]> {
  return store.adminEmails(db)
}

/** The account's e-mail as it is written, or nothing when there is no such account. */
export async function setAdmin(db: Db, email: string, isAdmin: boolean): Promise<string | undefined> {
  return (await store.setAdmin(db, emailKey(email.trim()), isAdmin))?.email
}
