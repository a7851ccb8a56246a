import { names } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, longTextRoute, route } from "../../http/route.ts"
import * as loads from "./loads.ts"
import * as rules from "./rules.ts"

export function nameRoutes(http: Http, core: Core): void {
  route(
    http,
    names.list,
    (caller, input) => rules.listNames(core, caller, input),
    (caller, input) => loads.bytesOfDescriptions(core, caller, input),
  )
  route(http, names.describe, (caller, input) => rules.describeName(core, caller, input))
  route(http, names.describeMany, (caller, input) => rules.describeNames(core, caller, input))
  route(http, names.remove, (caller, input) => rules.removeDescription(core, caller, input))
  route(
    http,
    names.inEnvironments,
    (caller, input) => rules.getEnvironmentNames(core, caller, input),
    (caller, input) => loads.bytesOfNamesAtOnce(core, caller, input),
  )
  longTextRoute(
    http,
    names.example,
    (caller, input) => rules.getExample(core, caller, input),
    (caller, input) => loads.bytesOfExample(core, caller, input),
  )
}
