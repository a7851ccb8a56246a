import { formats } from "@envkeep/formats"
import { readCache, type Snapshot, writeCache } from "./cache.ts"
import { notEnvkeep } from "./error.ts"
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
  const answer = await request(settings, "/api/v1/variables?format=json")
  if ("error" in answer) return answer
  const snapshot = parseSnapshot(answer)
  if (snapshot === undefined) return { error: notEnvkeep(settings.url), isAway: false }
  await writeCache(settings, snapshot)
  return snapshot
}

function parseSnapshot({ headers, text }: Answer): Snapshot | undefined {
  const { variables, faults } = formats.json.parse(text)
  const revision = Number(headers["envkeep-revision"])
  if (faults.length > 0 || !Number.isSafeInteger(revision)) return undefined
  const damaged = String(headers["envkeep-damaged"] ?? "")
  return {
    variables,
    revision,
    damaged: damaged === "" ? [] : damaged.split(",").map(decodeURIComponent),
    source: "live",
  }
}
