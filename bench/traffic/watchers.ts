import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { Day } from "./shared.ts"
import type { StagedEnvironment } from "./stage.ts"

const clientMain = join(import.meta.dirname, "../../client/dist/index.js")

/** Long enough for a client that has just begun its longest pause between two tries, on a busy machine. */
const seenWithinMs = 30_000

interface Watcher {
  environment: StagedEnvironment
  values: Record<string, string>
  /** It is noted once, and again only after it had caught up. */
  isLate: boolean
}

/** Programs that follow an environment with the client package, as it is installed. */
export async function startWatchers(day: Day, count: number) {
  const { load } = (await import(clientMain)) as typeof import("../../client/src/index.ts")
  const { url, stage, ledger, journal, counts } = day
  const watchers: Watcher[] = []
  const stops: (() => void)[] = []
  for (let n = 0; n < count; n++) {
    const environment = stage.environments[n % stage.environments.length] as StagedEnvironment
    const env = await load({ url, key: environment.key, instance: `watcher-${n}` })
    const watcher = { environment, values: env.json(), isLate: false }
    watchers.push(watcher)
    const stop = env.watch(
      (next) => {
        counts.watcherUpdates++
        watcher.values = next.json()
      },
      (error) => journal.note("dayWatch", `a watch of ${environment.name} ended: ${error.message}`),
    )
    stops.push(stop)
  }
  return {
    /** Notes who has not heard of something that was confirmed a while ago. */
    check() {
      const since = performance.now() - seenWithinMs
      for (const watcher of watchers) {
        const faults = faultsOf(watcher, since)
        if (!watcher.isLate) for (const fault of faults) journal.note("dayWatch", fault)
        watcher.isLate = faults.length > 0
      }
    },
    /** Waits until all of them have everything that was confirmed, and ends them. */
    async end() {
      const since = performance.now()
      const late = () => watchers.flatMap((watcher) => faultsOf(watcher, since))
      for (const timeout = AbortSignal.timeout(seenWithinMs); late().length > 0 && !timeout.aborted; ) await wait(100)
      for (const fault of late()) journal.note("dayWatch", fault)
      for (const stop of stops) stop()
    },
  }

  function faultsOf({ environment, values }: Watcher, since: number): string[] {
    return ledger.faults(environment.at, values, since).map((fault) => `watcher of ${environment.name}: ${fault}`)
  }
}
