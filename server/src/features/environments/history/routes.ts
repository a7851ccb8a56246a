import { history } from "@envkeep/contract"
import type { Core } from "../../../core/core.ts"
import { type Http, route } from "../../../http/route.ts"
import * as loads from "./loads.ts"
import * as rules from "./rules.ts"

export function historyRoutes(http: Http, core: Core): void {
  route(http, history.list, (caller, input) => rules.listRevisions(core, caller, input))
  route(
    http,
    history.get,
    (caller, input) => rules.getRevision(core, caller, input),
    (caller, input) => loads.bytesOfRevision(core, caller, input),
  )
  route(
    http,
    history.changes,
    (caller, input) => rules.getChanges(core, caller, input),
    (caller, input) => loads.bytesOfChanges(core, caller, input),
  )
  route(
    http,
    history.ofItem,
    (caller, input) => rules.getItemHistory(core, caller, input),
    (caller, input) => loads.bytesOfVersions(core, caller, input),
  )
  route(
    http,
    history.ofName,
    (caller, input) => rules.getNameHistory(core, caller, input),
    (caller, input) => loads.bytesOfVersions(core, caller, input),
  )
  route(
    http,
    history.restore,
    (caller, input) => rules.restoreEnvironment(core, caller, input),
    (caller, input) => loads.bytesOfRestore(core, caller, input),
  )
  route(http, history.restoreItem, (caller, input) => rules.restoreItem(core, caller, input))
  route(http, history.erase, (caller, input) => rules.eraseVersion(core, caller, input))
}
