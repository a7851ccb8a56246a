import { environments } from "@envkeep/contract"
import type { Db } from "../../db/schema.ts"
import { type Http, route } from "../../http/route.ts"
import type { Vault } from "../../keys/secrets.ts"
import * as rules from "./rules.ts"

export function environmentRoutes(http: Http, db: Db, vault: Vault): void {
  route(http, environments.get, (caller, input) => rules.getEnvironment(db, vault, caller, input))
  route(http, environments.listOfCollection, (caller, input) => rules.listEnvironments(db, vault, caller, input))
  route(http, environments.create, (caller, input) => rules.createEnvironment(db, caller, input))
  route(http, environments.rename, (caller, input) => rules.renameEnvironment(db, caller, input))
  route(http, environments.remove, (caller, input) => rules.deleteEnvironment(db, caller, input))
}
