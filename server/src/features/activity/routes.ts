import { activity } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, linesRoute, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function activityRoutes(http: Http, core: Core): void {
  route(http, activity.ofCollection, (caller, input) => rules.collectionActivity(core, caller, input))
  linesRoute(http, activity.exportOfCollection, (caller, input) => rules.exportCollection(core, caller, input))
  route(http, activity.readsOfCollection, (caller, input) => rules.collectionReads(core, caller, input))
  route(http, activity.ofAccount, (caller, input) => rules.accountActivity(core, caller, input))
  linesRoute(http, activity.exportOfAccount, async (caller, input) => rules.exportAccount(core, caller, input))
  route(http, activity.ofInstance, (_, input) => rules.instanceActivity(core, input))
  linesRoute(http, activity.exportOfInstance, async (_, input) => rules.exportInstance(core, input))
}
