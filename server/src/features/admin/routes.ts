import { admin } from "@envkeep/contract"
import type { Core } from "../../db/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function adminRoutes(http: Http, core: Core): void {
  route(http, admin.counters, () => rules.counters(core))
  route(http, admin.listProducts, () => rules.listProducts(core))
  route(http, admin.createProduct, (caller, input) => rules.createProduct(core, caller, input))
}
