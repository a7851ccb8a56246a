import { parseArgs } from "node:util"

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

export class MisuseError extends Error {
  override name = "MisuseError"
}

export function readOptions(args: string[], groups: string[]): Options {
  const { values, positionals } = parse(args)
  const { check, quick, engine } = values
  const chosen = engines.filter((one) => engine === undefined || engine === one)
  if (chosen.length === 0) throw new MisuseError("--engine must be sqlite or postgres")
  const unknown = positionals.find((name) => !groups.includes(name))
  if (unknown !== undefined) throw new MisuseError(`there is no group ${unknown}; the groups are ${groups.join(", ")}`)

  const sizes = quick
    ? { turns: 3, seconds: 0.4, race: { turns: 6, seconds: 0.1 }, calls: 20 }
    : { turns: 7, seconds: 1, race: { turns: 60, seconds: 0.1 }, calls: 50 }
  return {
    check,
    quick,
    only: positionals,
    engines: chosen,
    scale: number("--scale", values.scale, { least: 1e-6, most: 1 }) ?? (quick ? 0.001 : 1),
    minutes: number("--minutes", values.minutes, { least: 0.1 }),
    seed: number("--seed", values.seed) ?? 1,
    idle: number("--idle", values.idle),
    ...sizes,
  }
}

function number(name: string, text: string | undefined, { least = 0, most = Number.MAX_VALUE } = {}) {
  if (text === undefined) return undefined
  const value = Number(text)
  if (value >= least && value <= most) return value
  throw new MisuseError(`${name} must be a number, ${least} or more${most === 1 ? ", and up to 1" : ""}`)
}

function parse(args: string[]) {
  const text = { type: "string" } as const
  const flag = { type: "boolean", default: false } as const
  const options = { check: flag, quick: flag, engine: text, scale: text, minutes: text, seed: text, idle: text }
  try {
    return parseArgs({ args, allowPositionals: true, options })
  } catch (error) {
    throw new MisuseError((error as Error).message)
  }
}
