import { parseArgs } from "node:util"
import { MisuseError } from "../options.ts"

export interface DayOptions {
  minutes: number
  /** The same seed makes the same choices; their timing depends on the machine. */
  seed: number
}

export function readDayOptions(args: string[]): DayOptions {
  const { minutes, seed } = parse(args)
  // In a shorter run, the events take all of the time.
  return { minutes: number("--minutes", minutes, 2), seed: number("--seed", seed, 0) }
}

function number(name: string, text: string, least: number): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= least) return value
  throw new MisuseError(`${name} must be a number, ${least} or more`)
}

function parse(args: string[]) {
  try {
    const options = { minutes: { type: "string", default: "60" }, seed: { type: "string", default: "1" } } as const
    return parseArgs({ args, options }).values
  } catch (error) {
    throw new MisuseError((error as Error).message)
  }
}
