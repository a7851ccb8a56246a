import { parseArgs } from "node:util"
import type { Command, Option } from "./command.ts"
import type { Given } from "./given.ts"
import { CommandError } from "./messages.ts"
import { looksLikeKey } from "./safe-message.ts"

export class Misuse extends CommandError {
  constructor(message: string, hint = "run envkeep --help for the commands and options") {
    super(message, hint)
  }
}

/** Reads what follows a command's name. */
export function readOptions(command: Command, args: string[]): Given {
  if (!command.passesOn) return read(command, args, [])
  const takesValue = (word = "") =>
    command.options.some(({ name, short, value }) => value && isCalled(word, name, short))
  const found = args.findIndex((word, at) => word === "--" || !(word.startsWith("-") || takesValue(args[at - 1])))
  const end = found === -1 ? args.length : found
  const program = args.slice(args[end] === "--" ? end + 1 : end)
  refuseKeys(program[0])
  return read(command, args.slice(0, end), program)
}

function isCalled(word: string, name: string, short: string | undefined): boolean {
  return word === `--${name}` || (short !== undefined && word === `-${short}`)
}

/** Strict mode is off because its messages differ between versions of Node. */
function read({ name, options, words = { min: 0, max: 0 } }: Command, args: string[], program: string[]): Given {
  refuseKeys(...args)
  const { values, positionals, tokens } = parseArgs({ args, options: asParsed(options), strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== "option") continue
    const option = options.find((one) => one.name === token.name)
    if (option === undefined) throw unknownOption(token.rawName)
    if (option.value === undefined && token.value !== undefined)
      throw new Misuse(`${token.rawName} does not take a value`)
  }
  // Elsewhere a dash alone means standard input or output, so it is not taken for the name of a file.
  if (positionals.includes("-")) throw unknownOption("-")
  if (positionals.length < words.min) throw new Misuse(words.missing ?? `${name} needs more words`)
  if (positionals.length > words.max) {
    throw new Misuse(words.tooMany ?? `${name} takes no ${JSON.stringify(positionals[words.max])}`)
  }
  return {
    words: positionals,
    program,
    has: (option) => values[option] === true,
    text: (option) => textOf(values[option]),
    list: (option) => (values[option] as (string | boolean)[] | undefined)?.map((value) => textOf(value) ?? ""),
  }
}

function asParsed(options: readonly Option[]) {
  const entries = options.map(({ name, short, value, isMultiple }) => [
    name,
    {
      type: value === undefined ? ("boolean" as const) : ("string" as const),
      ...(short === undefined ? {} : { short }),
      ...(isMultiple ? { multiple: true } : {}),
    },
  ])
  return Object.fromEntries(entries)
}

/** An option that lacks its value is true, and then refused like an empty one. */
function textOf(value: unknown): string | undefined {
  return value === true ? "" : (value as string | undefined)
}

function unknownOption(option: string): Misuse {
  return new Misuse(`there is no option ${JSON.stringify(option)}`)
}

/** Every user of the machine can see arguments. The words after the command of `run` are its own. */
export function refuseKeys(...words: (string | undefined)[]): void {
  if (words.some((word = "") => looksLikeKey(word))) throw new Misuse("an API key is not an argument: set ENVKEEP_KEY")
}

/** A whole number, 1 or more. */
export function readNumber(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const number = /^[1-9]\d*$/.test(given) ? Number(given) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new Misuse(`${option} needs a number: ${option} 12`)
  return number
}

/** `--only A,B --only C` are three names. */
export function readNames(option: string, given: string[] | undefined): string[] | undefined {
  if (given === undefined) return undefined
  const lists = given.map((list) =>
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  )
  if (lists.some((list) => list.length === 0)) throw new Misuse(`${option} needs names: ${option} A,B`)
  return lists.flat()
}
