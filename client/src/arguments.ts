import { type Format, formats } from "./index.ts"

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

// Put in by the build from package.json.
declare const PACKAGE_VERSION: string
export const version = typeof PACKAGE_VERSION === "string" ? PACKAGE_VERSION : "0.0.0"

export const help = `envkeep ${version}: your environment variables, from your Envkeep server

  envkeep run [--watch] [--override] -- command    run a command with them
  envkeep print [--format name]                    print them
  envkeep save [file] [--format name]              save them, to .env by default
  envkeep check                                    where does the key lead?

  --watch       start the command anew after each change
  --override    let them win over variables that are set already
  --format      ${formats.join(", ")}
                (dotenv by default)

Settings, from the environment:
  ENVKEEP_URL        the server, such as https://envkeep.example.com
  ENVKEEP_KEY        the API key of one environment
  ENVKEEP_CACHE      a file for the last good values, encrypted under the key,
                     used when the server cannot be reached
  ENVKEEP_MAX_STALE  how old these may be, in seconds (a day by default)
`

export function readArguments(words: string[]): Command {
  const [name, ...rest] = words
  if (rest[0] === "--help" || rest[0] === "-h") return { name: "help" }
  switch (name) {
    case "run":
      return readRun(rest)
    case "print": {
      const { format, files } = readFormat(rest)
      if (files[0] !== undefined) throw new Misuse(`print takes no ${quoted(files[0])}`)
      return { name, format }
    }
    case "save": {
      const { format, files } = readFormat(rest)
      if (files.length > 1) throw new Misuse("save takes one file")
      return { name, format, file: files[0] ?? ".env" }
    }
    case "check":
      if (rest[0] !== undefined) throw new Misuse(`check takes no ${quoted(rest[0])}`)
      return { name }
    case "--version":
      return { name: "version" }
    case "--help":
    case "-h":
    case "help":
      return { name: "help" }
    case undefined:
      throw new Misuse("what shall it do?")
    default:
      throw new Misuse(`there is no command ${quoted(name)}`)
  }
}

/** Options stand before the command; the first other word, or what follows `--`, is the command. */
function readRun(words: string[]): RunCommand {
  const flags = { watch: false, override: false }
  let at = 0
  for (; at < words.length && words[at]?.startsWith("-"); at++) {
    const word = words[at]
    if (word === "--watch") flags.watch = true
    else if (word === "--override") flags.override = true
    else if (word === "--") {
      at++
      break
    } else throw unknownOption(word)
  }
  const [program, ...args] = words.slice(at)
  if (program === undefined) throw new Misuse("run needs a command: envkeep run -- command")
  return { name: "run", ...flags, program, args }
}

function readFormat(words: string[]): { format: Format; files: string[] } {
  let format: string | undefined = "dotenv"
  const files: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (word === "--format") format = words[++at]
    else if (word.startsWith("--format=")) format = word.slice("--format=".length)
    else if (word.startsWith("-")) throw unknownOption(word)
    else files.push(word)
  }
  const known = formats.find((name) => name === format)
  if (known === undefined) throw new Misuse(`the formats are ${formats.join(", ")}`)
  return { format: known, files }
}

/** Only its name is repeated: behind an equals sign there might be a key. */
function unknownOption(word = ""): Misuse {
  return new Misuse(`there is no option ${quoted(word.split("=")[0] ?? "")}`)
}

function quoted(word: string): string {
  return /^ek_/.test(word) ? "key: set ENVKEEP_KEY" : JSON.stringify(word)
}
