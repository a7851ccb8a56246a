import { history } from "@envkeep/contract"
import type { Core } from "../../../db/core.ts"
import { type Http, route } from "../../../http/route.ts"
import * as rules from "./rules.ts"

export function historyRoutes(http: Http, core: Core): void {
  route(http, history.list, (caller, input) => rules.listRevisions(core, caller, input))
  route(http, history.get, (caller, input, { holdBytes }) => rules.getRevision(core, caller, input, holdBytes))
  route(http, history.changes, (caller, input, { holdBytes }) => rules.getChanges(core, caller, input, holdBytes))
  route(http, history.ofItem, (caller, input, { holdBytes }) => rules.getItemHistory(core, caller, input, holdBytes))
  route(http, history.ofName, (caller, input, { holdBytes }) => rules.getNameHistory(core, caller, input, holdBytes))
  route(http, history.restore, (caller, input, { holdBytes }) =>
    rules.restoreEnvironment(core, caller, input, holdBytes),
  )
  route(http, history.restoreItem, (caller, input) => rules.restoreItem(core, caller, input))
  route(http, history.erase, (caller, input) => rules.eraseVersion(core, caller, input))
}
