import type { FormatName, SecretNames, Variable } from "@envkeep/formats"
import type { Snapshot } from "./cache.ts"
import { EnvkeepError } from "./error.ts"
import { printers } from "./printers.ts"
import { applyToProcess } from "./process-env.ts"
import { select } from "./select.ts"
import type { Settings } from "./settings.ts"
import { watch } from "./watch.ts"

/** The variables of one environment at the time they were read. */
export interface Env {
  /** In the environment's order. */
  readonly variables: readonly Readonly<Variable>[]
  /** Rises with every change. */
  readonly revision: number
  /** `cache` when the server could not be reached and the last good answer was used instead. */
  readonly source: "live" | "cache"
  /** When the last good answer was saved, in milliseconds since 1970. Only if `source` is `cache`. */
  readonly savedAt?: number
  /** Names whose stored values are damaged on the server. They are not among the variables. */
  readonly damaged: readonly string[]
  get(name: string): string | undefined
  /** A plain object. `__proto__` is a name like any other. */
  json(): Record<string, string>
  /** One `name=value` per line; throws `refused_format` for a value with a line break. */
  raw(): string
  /**
   * In any format; throws `refused_format` for variables that it cannot hold. `name` and `namespace` are for `k8s`: those
   * of the Secret.
   */
  text(format: FormatName, options?: SecretNames): string
  /** Puts the variables into `process.env`. Variables that are already set win, unless `override` is true. */
  apply(options?: { override?: boolean }): void
  /**
   * Writes or replaces a file, atomically, readable by its owner only. The format is `dotenv` by default. The file carries
   * a mark, so that `envkeep save` may replace it too.
   */
  save(file: string, options?: { format?: FormatName } & SecretNames): Promise<void>
  /**
   * Calls `onChange` with the new variables after each change, until the returned function is called. Lost connections are
   * reopened. While a variable of `only` is missing, there is a warning instead of a call. When the key stops working,
   * `onEnd` is called once and nothing more follows. Throws if a `revision` was loaded, which never changes.
   */
  watch(onChange: (env: Env) => void, onEnd?: (error: EnvkeepError) => void): () => void
}

export function createEnv(settings: Settings, snapshot: Snapshot): Env {
  const { variables, revision, source, damaged, savedAt } = select(settings, snapshot)
  const values = new Map(variables.map(({ name, value }) => [name, value]))
  return {
    variables,
    revision,
    source,
    ...(savedAt !== undefined && { savedAt }),
    damaged,
    get: (name) => values.get(name),
    json: () => Object.fromEntries(values),
    ...printers(variables),
    apply: ({ override = false } = {}) => applyToProcess(variables, override),
    watch(onChange, onEnd = () => undefined) {
      // A mistake would only show at the first change, far away from this call.
      if (typeof onChange !== "function" || typeof onEnd !== "function") {
        throw new EnvkeepError("bad_option", "watch takes functions")
      }
      if (settings.revision !== undefined) {
        throw new EnvkeepError("bad_option", "watch follows the current revision: load without a revision")
      }
      return watch(settings, snapshot, { onChange: (next) => onChange(createEnv(settings, next)), onEnd })
    },
  }
}
