import { choiceOption, MisuseError, numberOption, parseStrictly } from "@envkeep/testing/machine/program.ts"

export const engines = ["sqlite", "postgres"] as const
export type Engine = (typeof engines)[number]
export const engineNames = { sqlite: "SQLite", postgres: "PostgreSQL" }

export interface Options {
  /** Exit 1 when a budget is broken. */
  check: boolean
  /** Short turns and small stores: shows that everything runs, but says little about speed. */
  quick: boolean
  /** The groups to run; none means all but those on request. */
  only: string[]
  engines: readonly Engine[]
  /** How often each contender is measured; the median counts. */
  turns: number
  /** How long one measurement under load lasts. */
  seconds: number
  /** For comparing fast things: many short turns, because interference from other work lasts a second or two. */
  race: { turns: number; seconds: number }
  /** How many single calls one measurement takes. */
  calls: number
  /** How much of a company's store is made: 1 is all of it. */
  scale: number
  /** How long the traffic of `soak` and `day` lasts. */
  minutes: number | undefined
  /** The same seed makes the same choices in that traffic; their timing depends on the machine. */
  seed: number
  /** How many idle connections `soak` opens. */
  idle: number | undefined
}

/** Here and not with the groups, which take seconds to load. A test compares the two. */
export const groupNames: readonly string[] = [
  "read",
  "workers",
  "cold-read",
  "growth",
  "lists",
  "find",
  "people",
  "activity",
  "save",
  "history",
  "watchers",
  "instances",
  "login",
  "sign-ins",
  "one-against-all",
  "start",
  "memory",
  "idle",
  "soak",
  "command-line",
  "screens",
  "grid",
  "company-sqlite",
  "company-postgres",
  "day",
]

const text = { type: "string" } as const
const flag = { type: "boolean", default: false } as const
const taken = { check: flag, quick: flag, engine: text, scale: text, minutes: text, seed: text, idle: text }

export function readOptions(args: string[]): Options {
  const { values, positionals } = parseStrictly(args, taken, { allowPositionals: true })
  const { check, quick } = values
  const engine = choiceOption("--engine", values.engine, engines)
  const unknown = positionals.find((name) => !groupNames.includes(name))
  if (unknown !== undefined) throw new MisuseError(`There is no group ${unknown}`)

  const sizes = quick
    ? { turns: 3, seconds: 0.4, race: { turns: 6, seconds: 0.1 }, calls: 20 }
    : { turns: 7, seconds: 1, race: { turns: 60, seconds: 0.1 }, calls: 50 }
  return {
    check,
    quick,
    only: positionals,
    engines: engine === undefined ? engines : [engine],
    scale: numberOption("--scale", values.scale, { least: 1e-6, most: 1 }) ?? (quick ? 0.001 : 1),
    minutes: numberOption("--minutes", values.minutes, { least: 0.1 }),
    seed: numberOption("--seed", values.seed) ?? 1,
    idle: numberOption("--idle", values.idle),
    ...sizes,
  }
}
