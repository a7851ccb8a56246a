import { environments } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import { apiKeyRoutes } from "./api-keys/routes.ts"
import { copyItems } from "./copy/rules.ts"
import { createEnvironment } from "./create.ts"
import { historyRoutes } from "./history/routes.ts"
import { rebaseEnvironment } from "./inheritance/rules.ts"
import { itemRoutes } from "./items/routes.ts"
import * as loads from "./loads.ts"
import * as rules from "./rules.ts"

export function environmentRoutes(http: Http, core: Core): void {
  route(
    http,
    environments.get,
    (caller, input) => rules.getEnvironment(core, caller, input),
    (caller, input) => loads.bytesOfEnvironment(core, caller, input),
  )
  route(
    http,
    environments.listOfCollection,
    (caller, input) => rules.listEnvironments(core, caller, input),
    (caller, input) => loads.bytesOfCollectionAtOnce(core, caller, input),
  )
  route(
    http,
    environments.create,
    (caller, input) => createEnvironment(core, caller, input),
    (caller, input) => loads.bytesOfNewEnvironment(core, caller, input),
  )
  route(http, environments.rename, (caller, input) => rules.renameEnvironment(core, caller, input))
  route(http, environments.protect, (caller, input) => rules.protectEnvironment(core, caller, input))
  route(http, environments.rebase, (caller, input) => rebaseEnvironment(core, caller, input))
  route(http, environments.remove, (caller, input) => rules.deleteEnvironment(core, caller, input))
  route(
    http,
    environments.copy,
    (caller, input) => copyItems(core, caller, input),
    (caller, input) => loads.bytesOfCopy(core, caller, input),
  )
  itemRoutes(http, core)
  historyRoutes(http, core)
  apiKeyRoutes(http, core)
}
