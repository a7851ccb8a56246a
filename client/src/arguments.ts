import { parseArgs } from "node:util"
import { type SecretNames, secretNamesFault } from "@envkeep/formats"
import { type Format, formats } from "./index.ts"
import { CommandError } from "./messages.ts"
import { version } from "./version.ts"
import { looksLikeKey } from "./without-keys.ts"

export type Command =
  | { name: "help" | "version" | "check" }
  | ({ name: "print" } & Selection & Printing)
  | ({ name: "save"; file: string; force: boolean } & Selection & Printing)
  | RunCommand

/** Which of the variables, and of when. */
export interface Selection {
  revision: number | undefined
  only: string[] | undefined
  except: string[] | undefined
}

/** How to write them. */
interface Printing {
  format: Format
  secret: SecretNames
}

export interface RunCommand extends Selection {
  name: "run"
  watch: boolean
  override: boolean
  program: string
  args: string[]
}

export class Misuse extends CommandError {
  constructor(message: string) {
    super(message, "run envkeep --help for the commands and options")
  }
}

export const help = `envkeep ${version}: your environment variables, from your Envkeep server

  envkeep run [--watch] [--override] -- command    run a command with them
  envkeep print [--format name]                    print them
  envkeep save [file] [--format name] [--force]    save them, to .env by default
  envkeep check                                    show what the key can read

  --only, --except     some of them: names, with commas between
  --revision           as they were at this revision, a number
  --watch              restart the command after each change
  --override           let them win over variables that are already set
  --force              replace a file that envkeep did not write
  --format             ${formats.join(", ")}
                       (dotenv by default)
  --name, --namespace  what to call the Secret of the format k8s

Settings, from the environment:
  ENVKEEP_URL        the server, such as https://envkeep.example.com
  ENVKEEP_KEY        the API key of one environment
  ENVKEEP_CACHE      a file for the last good values, encrypted with the key,
                     used when the server cannot be reached
  ENVKEEP_MAX_STALE  how old these may be, in seconds (a day by default)
  ENVKEEP_INSTANCE   what the server calls this program when it shows who runs
                     which revision (the host by default), or off
`

const selectionOptions = {
  only: { type: "string", multiple: true },
  except: { type: "string", multiple: true },
  revision: { type: "string" },
} as const
const printingOptions = {
  ...selectionOptions,
  format: { type: "string" },
  name: { type: "string" },
  namespace: { type: "string" },
} as const

export function readArguments([name, ...rest]: string[]): Command {
  refuseKeys(name)
  if (rest[0] === "--help" || rest[0] === "-h") return { name: "help" }
  switch (name) {
    case "run":
      return readRun(rest)
    case "print": {
      const { values, words } = readOptions(rest, printingOptions)
      refuseWords(name, words)
      return { name, ...readSelection(values), ...readPrinting(values) }
    }
    case "save": {
      const { values, words } = readOptions(rest, { ...printingOptions, force: { type: "boolean" } })
      if (words.length > 1) throw new Misuse("save takes one file")
      const file = words[0] ?? ".env"
      return { name, file, force: values["force"] === true, ...readSelection(values), ...readPrinting(values) }
    }
    case "check":
      refuseWords(name, readOptions(rest, {}).words)
      return { name }
    case "--version":
    case "-v":
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
  const options = { ...selectionOptions, watch: { type: "boolean" }, override: { type: "boolean" } } as const
  const takesValue = (word = "") => ["--only", "--except", "--revision"].includes(word)
  const found = words.findIndex((word, at) => word === "--" || !(word.startsWith("-") || takesValue(words[at - 1])))
  const end = found === -1 ? words.length : found
  const { values } = readOptions(words.slice(0, end), options)
  const [program, ...args] = words.slice(words[end] === "--" ? end + 1 : end)
  refuseKeys(program)
  if (!program) throw new Misuse("run needs a command: envkeep run -- command")
  const flags = { watch: values["watch"] === true, override: values["override"] === true }
  const selection = readSelection(values)
  if (flags.watch && selection.revision !== undefined) {
    throw new Misuse("--watch follows the current revision: leave --revision out")
  }
  return { name: "run", ...selection, ...flags, program, args }
}

type Values = Record<string, unknown>

function readSelection({ only, except, revision }: Values): Selection {
  return {
    only: readNames("--only", only),
    except: readNames("--except", except),
    revision: readRevision(revision),
  }
}

function readRevision(given: unknown): number | undefined {
  if (given === undefined) return undefined
  const revision = /^[1-9]\d*$/.test(String(given)) ? Number(given) : Number.NaN
  if (!Number.isSafeInteger(revision)) throw new Misuse("--revision needs a number: --revision 12")
  return revision
}

/** `--only A,B --only C` are three names. */
function readNames(option: string, given: unknown): string[] | undefined {
  if (!Array.isArray(given)) return undefined
  const lists = given.map((list) => String(list === true ? "" : list).split(","))
  const names = lists.map((list) => list.map((name) => name.trim()).filter((name) => name !== ""))
  if (names.some((list) => list.length === 0)) throw new Misuse(`${option} needs names: ${option} A,B`)
  return names.flat()
}

function readPrinting(values: Values): Printing {
  const format = formats.find((name) => name === (values["format"] ?? "dotenv"))
  if (format === undefined) throw new Misuse(`the formats are ${formats.join(", ")}`)
  const { name, namespace } = values
  for (const [option, value] of Object.entries({ name, namespace })) {
    if (value !== undefined && format !== "k8s") throw new Misuse(`--${option} is for --format k8s`)
  }
  const secret = { name: textOf(name), namespace: textOf(namespace) }
  const fault = secretNamesFault(secret)
  if (fault !== undefined) throw new Misuse(fault)
  return { format, secret }
}

/** An option that lacks its value is true, and then refused like an empty one. */
function textOf(value: unknown): string | undefined {
  return value === true ? "" : (value as string | undefined)
}

/** Strict mode is off because its messages differ between versions of Node. */
function readOptions(args: string[], options: Record<string, { type: "boolean" | "string"; multiple?: boolean }>) {
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
