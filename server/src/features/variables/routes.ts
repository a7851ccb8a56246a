import { staleHeaderName, variables } from "@envkeep/contract"
import { formats } from "@envkeep/formats"
import type { Vault } from "../../crypto/vault.ts"
import type { Db } from "../../db/schema.ts"
import { type Http, keyRoute, streamRoute, textRoute } from "../../http/route.ts"
import type { Finished } from "./memory.ts"
import * as rules from "./rules.ts"
import type { Watch } from "./watch.ts"

export function variableRoutes(
  http: Http,
  db: Db,
  vault: Vault,
  { reading, watch }: { reading: rules.Reading; watch: Watch },
): void {
  textRoute(http, variables.read, async (key, { format }) => {
    const { finished, staleSeconds } = await rules.readVariables(db, vault, reading, { key, format })
    const headers = { ...headersOf(finished), ...staleHeader(staleSeconds) }
    return { etag: finished.etag, body: finished.body, headers }
  })
  keyRoute(http, variables.key, (key) => rules.describeKey(db, key))
  streamRoute(http, variables.watch, (key, open) => watch.add(key, open))
}

export function headersOf({ format, revision, damaged }: Finished): Record<string, string> {
  return {
    "content-type": formats[format].mediaType,
    "envkeep-revision": String(revision),
    ...(damaged.length > 0 ? { "envkeep-damaged": damagedNames(damaged) } : {}),
  }
}

/** Says that the database is away and the answer comes from memory, and for how long nobody could ask. */
export function staleHeader(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { [staleHeaderName]: String(seconds) }
}

/** As many names as a header can safely hold; three dots stand for the rest. */
function damagedNames(names: string[]): string {
  const list = names.map(encodeURIComponent).join(",")
  return list.length <= maxHeaderLength ? list : `${list.slice(0, list.lastIndexOf(",", maxHeaderLength))},...`
}

const maxHeaderLength = 4_000
