import { statSync } from "node:fs"
import { delimiter, extname, join } from "node:path"
import { CommandError } from "./messages.ts"

/** What to hand to `spawn`. */
export interface ToSpawn {
  file: string
  words: string[]
  /** Windows gets one line of text. This one is already written as the program will read it. */
  isVerbatim: boolean
}

/**
 * On Windows, `npm` and everything that npm installs are batch files. Windows starts them only through `cmd.exe`, which
 * reads their arguments by its own rules.
 */
export function toSpawn(program: string, args: string[], platform: string = process.platform): ToSpawn {
  const script = platform === "win32" ? findBatchFile(program) : undefined
  if (script === undefined) return { file: program, words: args, isVerbatim: false }
  // Extensions on, because `quoteForBatch` uses one. Delayed expansion off, because then "!" is a plain character.
  const words = ["/e:ON", "/v:OFF", "/d", "/c", `"${[`"${script}"`, ...args.map(quoteForBatch)].join(" ")}"`]
  return { file: process.env["COMSPEC"] ?? "cmd.exe", words, isVerbatim: true }
}

/** The batch file that a shell would run. Undefined if it would run something else, or nothing. */
function findBatchFile(program: string): string | undefined {
  // No file of Windows has such a name, and in the line for `cmd.exe` it would end the quotes.
  if (/["\r\n]/.test(program)) return undefined
  const folders = /[\\/]/.test(program) ? [""] : [".", ...(process.env["PATH"] ?? "").split(delimiter).filter(Boolean)]
  const endings = extname(program) === "" ? [".com", ".exe", ".bat", ".cmd"] : [""]
  const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)))
  const found = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  return found !== undefined && /\.(bat|cmd)$/i.test(found) ? found : undefined
}

/**
 * One argument of a batch file, so that nothing in it is a command or a variable to `cmd.exe`, and the program behind the
 * batch file reads it unchanged. These are the rules of Rust's standard library, made after CVE-2024-24576.
 */
export function quoteForBatch(argument: string): string {
  if (/[\r\n\0]/.test(argument)) throw new CommandError("an argument of a batch file cannot have a line break")
  const escaped = argument
    // A quote is doubled, and so are the backslashes before it.
    .replace(/(\\*)"/g, '$1$1""')
    // An empty part of the variable `cd`, after which the percent sign starts no other variable.
    .replaceAll("%", "%%cd:~,%")
  const isPlain = /^[\w#$*+\-./:?@\\\u00a0-\uffff]+$/.test(argument) && !argument.endsWith("\\")
  return isPlain ? escaped : `"${escaped.replace(/(\\+)$/, "$1$1")}"`
}
