import type { Cleanup } from "./cleanup.ts"
import type { Loader } from "./load/loader.ts"
import type { Options } from "./options.ts"
import type { Section } from "./report.ts"

/** What every group of measurements works with. */
export interface Bench {
  options: Options
  cleanup: Cleanup
  load: Loader
  /** The PostgreSQL server; made at the first call, so that a run that needs none starts none. */
  postgres(): Promise<string>
  /** Tells whoever waits what is being done. */
  say(line: string): void
}

export interface Group {
  name: string
  run(bench: Bench): Promise<Section[]>
}

export const engines = ["sqlite", "postgres"] as const
export const engineNames = { sqlite: "SQLite", postgres: "PostgreSQL" }
