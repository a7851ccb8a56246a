import { type ParseArgsOptionsConfig, parseArgs } from "node:util"

/** Arguments that a program does not take: one sentence says so. */
export class MisuseError extends Error {
  override name = "MisuseError"
}

/** A program that people run by hand, such as `npm run fuzz`. */
interface Program {
  /** As it is run. */
  command: string
  /** How it is used, with examples. */
  usage: string
  run(): Promise<number> | number
}

const misuse = 2

/** Returns the exit code. `--help` is answered before anything is started. */
export async function runProgram(args: readonly string[], { command, usage, run }: Program): Promise<number> {
  if (args.some((one) => one === "--help" || one === "-h")) {
    process.stdout.write(usage)
    return 0
  }
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof MisuseError)) throw error
    process.stderr.write(`${error.message}: see ${command} -- --help\n`)
    return misuse
  }
}

/** As `parseArgs` of Node, whose messages go on to say what else could have been meant. */
export function parseStrictly<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  { allowPositionals = false } = {},
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals })
  } catch (error) {
    const [sentence = ""] = (error as Error).message.split(/\.\s/)
    throw new MisuseError(sentence)
  }
}

/** Undefined if the option was not given. */
export function numberOption(
  name: string,
  text: string | undefined,
  { least = 0, most = Number.MAX_VALUE, isWhole = false } = {},
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== "" && value >= least && value <= most && (!isWhole || Number.isSafeInteger(value))) return value
  const end = most === Number.MAX_VALUE ? "" : `, and up to ${most}`
  throw new MisuseError(`${name} must be a ${isWhole ? "whole " : ""}number, ${least} or more${end}`)
}

/** One of these, or undefined if the option was not given. */
export function choiceOption<const Choice extends string>(
  name: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined) return undefined
  const chosen = choices.find((one) => one === text)
  if (chosen === undefined) throw new MisuseError(`${name} must be one of ${choices.join(", ")}`)
  return chosen
}
