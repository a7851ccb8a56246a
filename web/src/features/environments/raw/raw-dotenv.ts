import { formats, keyBlocksIn, parseRaw, printRaw, type Variable } from "@envkeep/formats"
import { counted } from "../../../ui/counts.ts"
import { fitsInLine } from "./raw-text.ts"

/** How much of a text means something else in a .env file. */
export interface DotenvSigns {
  comments: number
  exports: number
  quotes: number
  /** Quoted values of several lines. */
  split: number
}

const comment = /^\s*#/
const exported = /^\s*export\s+[^=\s]/
const quoted = /^[^=]*=\s*(["'`]).*\1\s*$/
const openQuote = /^[^=]*=\s*(["'`])((?!\1).)+$/

/** Undefined if the text means the same in a .env file. The lines of `known` are meant literally. */
export function findDotenvSigns(text: string, known: string): DotenvSigns | undefined {
  const literal = linesOf(known)
  const lines = text.split("\n").filter((line) => !literal.has(line))
  const signs: DotenvSigns = { comments: 0, exports: 0, quotes: 0, split: 0 }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    if (comment.test(line)) signs.comments++
    else if (exported.test(line)) signs.exports++
    else if (quoted.test(line)) signs.quotes++
    const quote = openQuote.exec(line)?.[1]
    const end =
      quote === undefined ? -1 : lines.findIndex((later, index) => index > at && later.trimEnd().endsWith(quote))
    if (end === -1) continue
    signs.split++
    at = end
  }
  return Object.values(signs).some((count) => count > 0) ? signs : undefined
}

/** What Confirm would do with these lines, as a clause. */
export function describeSigns({ comments, exports, quotes, split }: DotenvSigns): string {
  const effects = [
    effect(comments, "comment becomes a name", "comments become names"),
    effect(exports, "name starts with “export”", "names start with “export”"),
    effect(quotes, "value keeps its quotes", "values keep their quotes"),
    effect(split, "value is split at its line breaks", "values are split at their line breaks"),
  ]
  return new Intl.ListFormat("en-US").format(effects.filter((effect) => effect !== ""))
}

function effect(count: number, one: string, many: string): string {
  return count === 0 ? "" : counted(count, one, many)
}

export interface DotenvFault {
  line: number
  reason: string
}

/** A key without a name, whose lines would become names. Those that were stored so are left alone. */
export function findKey(text: string, known: string): DotenvFault | undefined {
  const literal = linesOf(known)
  return keyBlocksIn(text).find(({ line }) => !literal.has(text.split("\n")[line - 1] ?? ""))
}

interface DotenvRead {
  /** The variables as raw text. */
  text: string
  /** Those whose values do not fit on one line. */
  beside: Variable[]
}

/**
 * Reads the new lines as a .env file and those of `known` literally. The last of equal names wins, as everywhere. With a
 * fault, nothing is read.
 */
export function readDotenv(text: string, known: string): DotenvRead | { faults: DotenvFault[] } {
  const literal = linesOf(known)
  const faults: DotenvFault[] = []
  const read = new Map<string, Variable>()
  for (const { start, lines, isNew } of runsOf(text.split("\n"), literal)) {
    const run = lines.join("\n")
    const parsed = isNew ? formats.dotenv.parse(run) : { variables: parseRaw(run), faults: [] }
    for (const variable of parsed.variables) read.set(variable.name, variable)
    faults.push(...parsed.faults.map(({ line, reason }) => ({ line: start + line, reason })))
  }
  if (faults.length > 0) return { faults }
  const variables = [...read.values()]
  return {
    text: printRaw(variables.filter(({ value }) => fitsInLine(value))),
    beside: variables.filter(({ value }) => !fitsInLine(value)),
  }
}

/** Blank lines mean nothing, and may be inside a quoted value. */
function linesOf(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").filter((line) => line !== ""))
}

interface Run {
  /** How many lines are before it. */
  start: number
  lines: string[]
  isNew: boolean
}

/** Consecutive new lines belong together: a quoted value can span several. */
function runsOf(lines: string[], literal: ReadonlySet<string>): Run[] {
  const runs: Run[] = []
  for (const [start, line] of lines.entries()) {
    const isNew = !literal.has(line)
    const last = runs.at(-1)
    if (last?.isNew === isNew) last.lines.push(line)
    else runs.push({ start, lines: [line], isNew })
  }
  return runs
}
