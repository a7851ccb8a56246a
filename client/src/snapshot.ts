import { formats } from "@envkeep/formats"
import { isSnapshot, readCache, type Snapshot, writeCache } from "./cache.ts"
import { EnvkeepError, notEnvkeep } from "./error.ts"
import { type Answer, type Failure, request } from "./request.ts"
import type { Settings } from "./settings.ts"

/** Asks the server. The cache answers only when the server is away, never when it refuses the key. */
export async function loadSnapshot(settings: Settings): Promise<Snapshot> {
  const outcome = await fetchSnapshot(settings)
  if (!("error" in outcome)) return outcome
  const cached = outcome.isAway ? await readCache(settings) : undefined
  if (cached === undefined) throw outcome.error
  return cached
}

/** The server's own answer, which is also written to the cache. */
export async function fetchSnapshot(settings: Settings): Promise<Snapshot | Failure> {
  const { url, revision } = settings
  const pinned = revision === undefined ? "" : `&revision=${revision}`
  const answer = await request(settings, `/api/v1/variables?format=json${pinned}`)
  if ("error" in answer) return answer
  const snapshot = parseSnapshot(answer)
  if (snapshot === undefined) return { error: notEnvkeep(url), isAway: false }
  // Servers that do not know revisions send the current one.
  if (revision !== undefined && snapshot.revision !== revision) {
    const message = `The server at ${url} is too old for revision: it sent its current values`
    return { error: new EnvkeepError("server", message), isAway: false }
  }
  await writeCache(settings, snapshot)
  return snapshot
}

/** Undefined if anything is not as Envkeep sends it. */
function parseSnapshot({ headers, text }: Answer): Snapshot | undefined {
  try {
    const { variables, faults } = formats.json.parse(text)
    const damaged = String(headers["envkeep-damaged"] ?? "")
    const snapshot = {
      variables,
      revision: Number(headers["envkeep-revision"] || Number.NaN),
      damaged: damaged === "" ? [] : damaged.split(",").map(decodeURIComponent),
      source: "live",
    }
    return faults.length === 0 && isSnapshot(snapshot) ? snapshot : undefined
  } catch {
    return undefined
  }
}
