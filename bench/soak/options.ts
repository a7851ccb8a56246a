import { parseArgs } from "node:util"
import { MisuseError } from "../options.ts"

export interface SoakOptions {
  minutes: number
  engine: "sqlite" | "postgres"
  /** The same seed makes the same choices; when they are made is up to the machine. */
  seed: number
  /** How many idle connections there are for a while. */
  idle: number
}

export function readSoakOptions(args: string[]): SoakOptions {
  const { minutes, engine, seed, idle } = parse(args)
  if (engine !== "sqlite" && engine !== "postgres") throw new MisuseError("--engine is sqlite or postgres")
  return {
    engine,
    // In less, all memory is spent on warming up, and nothing can be said about it.
    minutes: number("--minutes", minutes, 1),
    seed: number("--seed", seed, 0),
    idle: number("--idle", idle, 0),
  }
}

function number(name: string, text: string, least: number): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= least) return value
  throw new MisuseError(`${name} is a number from ${least} on`)
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        minutes: { type: "string", default: "10" },
        engine: { type: "string", default: "sqlite" },
        seed: { type: "string", default: "1" },
        idle: { type: "string", default: "5000" },
      },
    })
    return values
  } catch (error) {
    throw new MisuseError((error as Error).message)
  }
}
