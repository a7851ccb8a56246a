import { collections } from "@envkeep/contract"
import type { Core } from "../../db/core.ts"
import { type Http, memberStreamRoute, route } from "../../http/route.ts"
import { duplicateCollection } from "./duplicate.ts"
import type { Live } from "./live.ts"
import * as rules from "./rules.ts"

export function collectionRoutes(http: Http, core: Core, live: Live): void {
  route(http, collections.list, (caller, _, answering) => rules.listCollections(core, caller, answering))
  route(http, collections.get, (caller, input, answering) => rules.getCollection(core, caller, input, answering))
  route(http, collections.create, (caller, input) => rules.createCollection(core, caller, input))
  route(http, collections.duplicate, (caller, input, { holdBytes }) =>
    duplicateCollection(core, caller, input, holdBytes),
  )
  route(http, collections.update, (caller, input) => rules.updateCollection(core, caller, input))
  route(http, collections.remove, (caller, input) => rules.deleteCollection(core, caller, input))
  memberStreamRoute(http, collections.live, (caller, { id }, open) => live.add(caller, id, open))
}
