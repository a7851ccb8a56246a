import { collections } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, memberStreamRoute, route } from "../../http/route.ts"
import { duplicateCollection } from "./duplicate.ts"
import type { Live } from "./live.ts"
import * as loads from "./loads.ts"
import { getCollection } from "./read.ts"
import * as rules from "./rules.ts"

export function collectionRoutes(http: Http, core: Core, live: Live): void {
  route(http, collections.list, (caller) => rules.listCollections(core, caller))
  route(
    http,
    collections.get,
    (caller, input) => getCollection(core, caller, input),
    (caller, input) => loads.bytesOfCollection(core, caller, input),
  )
  route(http, collections.create, (caller, input) => rules.createCollection(core, caller, input))
  route(
    http,
    collections.duplicate,
    (caller, input) => duplicateCollection(core, caller, input),
    (caller, input) => loads.bytesOfDuplicate(core, caller, input),
  )
  route(http, collections.update, (caller, input) => rules.updateCollection(core, caller, input))
  route(http, collections.remove, (caller, input) => rules.deleteCollection(core, caller, input))
  memberStreamRoute(http, collections.live, (caller, { id }, open) => live.add(caller, id, open))
}
