import { parseArgs } from "node:util"

export interface Options {
  /** Exit 1 when a budget is broken. */
  check: boolean
  /** Short turns and small stores: shows that everything runs, but says little about speed. */
  quick: boolean
  only: string[]
  /** How often each contender is measured; the median counts. */
  turns: number
  /** How long one measurement under load lasts. */
  seconds: number
  /** For comparing fast things: many short turns, because interference from other work lasts a second or two. */
  race: { turns: number; seconds: number }
  /** How many single calls one measurement takes. */
  calls: number
}

export class MisuseError extends Error {
  override name = "MisuseError"
}

export function readOptions(args: string[], groups: string[]): Options {
  const { check, quick, only } = parse(args)
  const chosen = (only ?? "").split(",").filter((name) => name !== "")
  const unknown = chosen.find((name) => !groups.includes(name))
  if (unknown !== undefined) throw new MisuseError(`there is no group ${unknown}; the groups are ${groups.join(", ")}`)
  const sizes = quick
    ? { turns: 3, seconds: 0.4, race: { turns: 6, seconds: 0.1 }, calls: 20 }
    : { turns: 7, seconds: 1, race: { turns: 60, seconds: 0.1 }, calls: 50 }
  return { check, quick, only: chosen, ...sizes }
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        check: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        only: { type: "string" },
      },
    })
    return values
  } catch (error) {
    throw new MisuseError((error as Error).message)
  }
}
