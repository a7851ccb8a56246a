import type { admin, Counters, InputOf, Product } from "@envkeep/contract"
import { theServer, type UserCaller } from "../../access/caller.ts"
import type { Core, Door } from "../../db/core.ts"
import { emailKey } from "../users/rules.ts"
import * as store from "./store.ts"

export async function counters({ db }: Core): Promise<Counters> {
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

/** For the command line. Returns the account's e-mail as its user wrote it, or undefined if there is no account. */
export function setAdmin(door: Door, email: string, isAdmin: boolean): Promise<string | undefined> {
  return door.change(theServer, isAdmin ? "admin.grant" : "admin.revoke", async (tx, notes) => {
    const account = await store.setAdmin(tx, emailKey(email.trim()), isAdmin)
    if (account === undefined) notes.nothingChanged()
    else notes.about({ userId: account.id })
    return account?.email
  })
}
