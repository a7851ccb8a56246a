import { parseArgs } from "node:util"
import { type Format, formats } from "./index.ts"
import { looksLikeKey } from "./without-keys.ts"

export type Command =
  | { name: "help" | "version" | "check" }
  | { name: "print"; format: Format }
  | { name: "save"; file: string; format: Format }
  | RunCommand

export interface RunCommand {
  name: "run"
  watch: boolean
  override: boolean
  program: string
  args: string[]
}

export class Misuse extends Error {
  override name = "Misuse"
}

// The build fills this in from package.json.
declare const PACKAGE_VERSION: string
export const version = typeof PACKAGE_VERSION === "string" ? PACKAGE_VERSION : "0.0.0"

export const help = `envkeep ${version}: your environment variables, from your Envkeep server

  envkeep run [--watch] [--override] -- command    run a command with them
  envkeep print [--format name]                    print them
  envkeep save [file] [--format name]              save them, to .env by default
  envkeep check                                    show what the key can read

  --watch       restart the command after each change
  --override    let them win over variables that are already set
  --format      ${formats.join(", ")}
                (dotenv by default)

Settings, from the environment:
  ENVKEEP_URL        the server, such as https://envkeep.example.com
  ENVKEEP_KEY        the API key of one environment
  ENVKEEP_CACHE      a file for the last good values, encrypted with the key,
                     used when the server cannot be reached
  ENVKEEP_MAX_STALE  how old these may be, in seconds (a day by default)
`

export function readArguments([name, ...rest]: string[]): Command {
  refuseKeys(name)
  if (rest[0] === "--help" || rest[0] === "-h") return { name: "help" }
  switch (name) {
    case "run":
      return readRun(rest)
    case "print": {
      const { format, words } = readFormat(rest)
      refuseWords(name, words)
      return { name, format }
    }
    case "save": {
      const { format, words } = readFormat(rest)
      if (words.length > 1) throw new Misuse("save takes one file")
      return { name, format, file: words[0] ?? ".env" }
    }
    case "check":
      refuseWords(name, readOptions(rest, {}).words)
      return { name }
    case "--version":
      return { name: "version" }
    case "--help":
    case "-h":
    case "help":
      return { name: "help" }
    case undefined:
      throw new Misuse("no command given")
    default:
      throw new Misuse(`there is no command ${JSON.stringify(name)}`)
  }
}

/** Options come before the command. The first other word, or everything after `--`, is the command, passed on untouched. */
function readRun(words: string[]): RunCommand {
  const found = words.findIndex((word) => word === "--" || !word.startsWith("-"))
  const end = found === -1 ? words.length : found
  const { values } = readOptions(words.slice(0, end), { watch: { type: "boolean" }, override: { type: "boolean" } })
  const [program, ...args] = words.slice(words[end] === "--" ? end + 1 : end)
  refuseKeys(program)
  if (!program) throw new Misuse("run needs a command: envkeep run -- command")
  return { name: "run", watch: values["watch"] === true, override: values["override"] === true, program, args }
}

function readFormat(rest: string[]): { format: Format; words: string[] } {
  const { values, words } = readOptions(rest, { format: { type: "string", default: "dotenv" } })
  const format = formats.find((name) => name === values["format"])
  if (format === undefined) throw new Misuse(`the formats are ${formats.join(", ")}`)
  return { format, words }
}

/** Strict mode is off because its messages differ between versions of Node. */
function readOptions(args: string[], options: Record<string, { type: "boolean" | "string"; default?: string }>) {
  refuseKeys(...args)
  const { values, positionals, tokens } = parseArgs({ args, options, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== "option") continue
    if (!Object.hasOwn(options, token.name)) throw unknownOption(token.rawName)
    const isFlag = options[token.name]?.type === "boolean"
    if (isFlag && token.value !== undefined) throw new Misuse(`${token.rawName} does not take a value`)
  }
  // Elsewhere a dash alone means standard output, so it is not taken for the name of a file.
  if (positionals.includes("-")) throw unknownOption("-")
  return { values, words: positionals }
}

function unknownOption(option: string): Misuse {
  return new Misuse(`there is no option ${JSON.stringify(option)}`)
}

function refuseWords(command: string, [word]: string[]): void {
  if (word !== undefined) throw new Misuse(`${command} takes no ${JSON.stringify(word)}`)
}

/** Every user of the machine can see arguments. The words after the command of `run` are its own. */
function refuseKeys(...words: (string | undefined)[]): void {
  if (words.some((word = "") => looksLikeKey(word))) throw new Misuse("an API key is not an argument: set ENVKEEP_KEY")
}
