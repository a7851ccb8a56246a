import type { Cleanup } from "./cleanup.ts"
import { type Engine, engineNames } from "./engines.ts"
import type { Loader } from "./load/loader.ts"
import type { Options } from "./options.ts"
import type { Head, Section } from "./report.ts"

/** What every group of measurements gets. */
export interface Bench {
  options: Options
  cleanup: Cleanup
  load: Loader
  /** The address of a PostgreSQL server, which the first call starts. */
  postgres(): Promise<string>
  /** Reports progress. */
  say(line: string): void
}

export interface Group {
  name: string
  /** It takes so long that it runs only if it is named. */
  isOnRequest?: boolean
  run(bench: Bench): Promise<Section[]>
}

type Measure = (bench: Bench, engine: Engine, section: Section) => Promise<void>

/** A group of one table, which has the same rows for each engine. */
export function onEachEngine(name: string, head: Head | ((bench: Bench) => Head), measure: Measure): Group {
  return {
    name,
    async run(bench) {
      const section: Section = { ...(typeof head === "function" ? head(bench) : head), rows: [], held: [] }
      for (const engine of bench.options.engines) {
        bench.say(`  ${engineNames[engine]}`)
        await measure(bench, engine, section)
      }
      return [section]
    },
  }
}
