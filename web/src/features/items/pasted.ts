import { items } from "@envkeep/contract"
import { formats, type Variable } from "@envkeep/formats"

/** More than this is hard to check in rows. The import has a preview for it. */
const maxRows = 50

/** Longer texts are not read here, which could stop the page. The import reads them beside it. */
const maxCharacters = 100_000

/** Several lines that were pasted into a field for one. */
export interface Pasted {
  text: string
  lineCount: number
  /** The variables in the text. Empty if it cannot be split, because a line cannot be read or there are too many. */
  variables: Variable[]
}

/** Undefined if the text is one line, which every field takes. */
export function readPasted(text: string): Pasted | undefined {
  const lineCount = text.split(/[\r\n]+/).filter((line) => line.trim() !== "").length
  if (lineCount < 2) return undefined
  if (text.length > maxCharacters) return { text, lineCount, variables: [] }
  const { variables, faults } = formats.dotenv.parse(text)
  // The last of equal names wins, as in an import.
  const byName = new Map(variables.map((variable) => [variable.name, variable]))
  const canSplit = faults.length === 0 && byName.size <= maxRows && variables.every(isStorable)
  return { text, lineCount, variables: canSplit ? [...byName.values()] : [] }
}

/** Whether a text for a value looks like several variables, and not like one value of several lines. */
export function looksLikeVariables(text: string): boolean {
  const assignments = text.match(/^[ \t]*(?:export[ \t]+)?[A-Za-z_]\w*[ \t]?=/gm) ?? []
  return assignments.length >= 2 && !/^\s*-----BEGIN /.test(text)
}

/** The variable in a pasted line such as `PORT=8080`. No name contains an equals sign. */
export function readLine(text: string): Variable | undefined {
  const { variables, faults } = formats.dotenv.parse(text)
  const [only, ...others] = variables
  return only !== undefined && others.length + faults.length === 0 && isStorable(only) ? only : undefined
}

function isStorable({ name, value }: Variable): boolean {
  // The rules for a name and a value are those of an update. The id does not matter.
  return items.update.input.safeParse({ id: 1, name, value }).success
}
