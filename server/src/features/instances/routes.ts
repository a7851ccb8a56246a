import { instances } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function instanceRoutes(http: Http, core: Core): void {
  route(http, instances.list, (caller, input) => rules.listInstances(core, caller, input))
  route(http, instances.count, (caller, input) => rules.countInstances(core, caller, input))
}
