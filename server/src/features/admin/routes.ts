import { admin } from "@envkeep/contract"
import type { Db } from "../../db/schema.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function adminRoutes(http: Http, db: Db): void {
  route(http, admin.counters, () => rules.counters(db))
  route(http, admin.listProducts, () => rules.listProducts(db))
  route(http, admin.createProduct, (_, input) => rules.createProduct(db, input))
}
