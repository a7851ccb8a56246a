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
  /** How much of a company's store is made: 1 is all of it. */
  scale: number
}

export class MisuseError extends Error {
  override name = "MisuseError"
}

export function readOptions(args: string[], groups: string[]): Options {
  const { check, quick, only, scale: given = quick ? "0.001" : "1" } = parse(args)
  const scale = Number(given)
  if (!(scale > 0 && scale <= 1)) throw new MisuseError("--scale takes a number above 0 and up to 1")
  const chosen = (only ?? "").split(",").filter((name) => name !== "")
  const unknown = chosen.find((name) => !groups.includes(name))
  if (unknown !== undefined) throw new MisuseError(`there is no group ${unknown}; the groups are ${groups.join(", ")}`)
  const sizes = quick
    ? { turns: 3, seconds: 0.4, race: { turns: 6, seconds: 0.1 }, calls: 20 }
    : { turns: 7, seconds: 1, race: { turns: 60, seconds: 0.1 }, calls: 50 }
  return { check, quick, only: chosen, scale, ...sizes }
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        check: { type: "boolean", default: false },
        quick: { type: "boolean", default: false },
        only: { type: "string" },
        scale: { type: "string" },
      },
    })
    return values
  } catch (error) {
    throw new MisuseError((error as Error).message)
  }
}
