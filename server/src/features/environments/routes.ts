import { environments } from "@envkeep/contract"
import type { Core } from "../../db/core.ts"
import { type Http, route } from "../../http/route.ts"
import { apiKeyRoutes } from "./api-keys/routes.ts"
import { historyRoutes } from "./history/routes.ts"
import { itemRoutes } from "./items/routes.ts"
import * as rules from "./rules.ts"

export function environmentRoutes(http: Http, core: Core): void {
  route(http, environments.get, (caller, input, { holdBytes }) => rules.getEnvironment(core, caller, input, holdBytes))
  route(http, environments.listOfCollection, (caller, input, { holdBytes }) =>
    rules.listEnvironments(core, caller, input, holdBytes),
  )
  route(http, environments.create, (caller, input) => rules.createEnvironment(core, caller, input))
  route(http, environments.rename, (caller, input) => rules.renameEnvironment(core, caller, input))
  route(http, environments.remove, (caller, input) => rules.deleteEnvironment(core, caller, input))
  itemRoutes(http, core)
  historyRoutes(http, core)
  apiKeyRoutes(http, core)
}
