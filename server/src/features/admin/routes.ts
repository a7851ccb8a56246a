import { admin, mailCalls } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import { mailState } from "./mail/rules.ts"
import * as rules from "./rules.ts"
import { sizes } from "./sizes/rules.ts"

export function adminRoutes(http: Http, core: Core): void {
  route(http, admin.counters, () => rules.counters(core))
  route(http, admin.dailyCounts, (_, input) => rules.dailyCounts(core, input))
  route(http, admin.sizes, (_, { kind }) => sizes(core, kind))
  route(http, admin.listProducts, () => rules.listProducts(core))
  route(http, admin.createProduct, (caller, input) => rules.createProduct(core, caller, input))
  if (core.mail !== undefined) route(http, mailCalls.admin.mail, () => mailState(core))
}
