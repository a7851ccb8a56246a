import { parseArgs } from "node:util"
import { MisuseError } from "../options.ts"

export interface SoakOptions {
  minutes: number
  engine: "sqlite" | "postgres"
  /** The same seed makes the same choices; their timing depends on the machine. */
  seed: number
  /** How many idle connections are open for some of the time. */
  idle: number
}

export function readSoakOptions(args: string[]): SoakOptions {
  const { minutes, engine, seed, idle } = parse(args)
  if (engine !== "sqlite" && engine !== "postgres") throw new MisuseError("--engine must be sqlite or postgres")
  return {
    engine,
    // A shorter run only warms up, and says nothing about memory.
    minutes: number("--minutes", minutes, 1),
    seed: number("--seed", seed, 0),
    idle: number("--idle", idle, 0),
  }
}

function number(name: string, text: string, least: number): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= least) return value
  throw new MisuseError(`${name} must be a number, ${least} or more`)
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
