import type { Cleanup } from "./cleanup.ts"
import type { Loader } from "./load/loader.ts"
import type { Options } from "./options.ts"
import type { Section } from "./report.ts"

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
  run(bench: Bench): Promise<Section[]>
}

export const engines = ["sqlite", "postgres"] as const
export const engineNames = { sqlite: "SQLite", postgres: "PostgreSQL" }
