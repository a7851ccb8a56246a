import { trash } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function trashRoutes(http: Http, core: Core, days: rules.TrashDays): void {
  route(http, trash.listCollections, (caller) => rules.listCollections(core, caller, days))
  route(http, trash.restoreCollection, (caller, input) => rules.restoreCollection(core, caller, input))
  route(http, trash.purgeCollection, (caller, input) => rules.purgeCollection(core, caller, input))
  route(http, trash.emptyCollections, (caller, input) => rules.emptyCollections(core, caller, input))
  route(http, trash.listEnvironments, (caller, input) => rules.listEnvironments(core, caller, input, days))
  route(http, trash.restoreEnvironment, (caller, input) => rules.restoreEnvironment(core, caller, input))
  route(http, trash.purgeEnvironment, (caller, input) => rules.purgeEnvironment(core, caller, input))
  route(http, trash.emptyEnvironments, (caller, input) => rules.emptyEnvironments(core, caller, input))
}
