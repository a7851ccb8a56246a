import { formats, type Variable } from "@envkeep/formats"
import { readCache, writeCache } from "./cache.ts"
import { EnvkeepError } from "./error.ts"
import { type Answer, ask, type Failure } from "./request.ts"
import type { Settings } from "./settings.ts"

/** An environment as it was at one revision. */
export interface Snapshot {
  variables: Variable[]
  revision: number
  damaged: string[]
  source: "live" | "cache"
}

/** Asks the server. Only when it is away, never when it refuses the key, may the cache answer in its place. */
export async function takeSnapshot(settings: Settings): Promise<Snapshot> {
  const outcome = await fetchSnapshot(settings)
  if (!("error" in outcome)) return outcome
  const kept = outcome.isAway ? await readCache(settings) : undefined
  if (kept === undefined) throw outcome.error
  return kept
}

/** The server's own answer, which is then also kept. */
export async function fetchSnapshot(settings: Settings): Promise<Snapshot | Failure> {
  const answer = await ask(settings, "/api/v1/variables?format=json")
  if ("error" in answer) return answer
  const snapshot = read(answer)
  if (snapshot === undefined) {
    const error = new EnvkeepError("server", `What answers at ${settings.url} is no Envkeep server`)
    return { error, isAway: false }
  }
  await writeCache(settings, snapshot)
  return snapshot
}

function read({ headers, text }: Answer): Snapshot | undefined {
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
