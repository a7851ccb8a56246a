import { find } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import { createNames } from "./names.ts"
import * as rules from "./rules.ts"

export function findRoutes(http: Http, core: Core): void {
  const names = createNames()
  route(http, find.byName, (caller, input) => rules.findByName(core, names, caller, input))
}
