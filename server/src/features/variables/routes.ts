import { type VariableFormat, variables } from "@envkeep/contract"
import type { Vault } from "../../crypto/vault.ts"
import type { Db } from "../../db/schema.ts"
import { type Http, keyRoute } from "../../http/route.ts"
import * as rules from "./rules.ts"

const contentTypes: Record<VariableFormat, string> = {
  json: "application/json; charset=utf-8",
  raw: "text/plain; charset=utf-8",
}

export function variableRoutes(http: Http, db: Db, vault: Vault): void {
  keyRoute(http, variables.read, async (key, { format }, isHeld) => {
    const { etag, text, damaged } = await rules.readVariables(db, vault, key, { format, isHeld })
    const headers: Record<string, string> = { etag, "content-type": contentTypes[format] }
    if (damaged.length > 0) headers["envkeep-damaged"] = damaged.map(encodeURIComponent).join(",")
    return { headers, text }
  })
}
