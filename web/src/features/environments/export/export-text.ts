import type { Item } from "@envkeep/contract"
import { type FormatName, formatNames, formats, type Refused, type Variable } from "@envkeep/formats"

interface Exported {
  /** How many variables there are to write. */
  count: number
  /** Items whose stored values cannot be read, by name: they are left out. */
  damaged: string[]
  /** The text, and the same with its values hidden; or every variable that the format cannot hold. */
  printed: { text: string; masked: string } | { refused: Refused[] }
}

export function exported(format: FormatName, items: Item[]): Exported {
  const variables = readable(items)
  const printed = formats[format].print(variables)
  return {
    count: variables.length,
    damaged: items.filter(({ value }) => value === null).map(({ name }) => name),
    printed: "text" in printed ? { text: printed.text, masked: masked(format, variables) } : printed,
  }
}

/** The formats that hold every variable. */
export function workingFormats(items: Item[]): FormatName[] {
  const variables = readable(items)
  return formatNames.filter((format) => "text" in formats[format].print(variables))
}

function readable(items: Item[]): Variable[] {
  return items.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
}

const hidden = "********"

/** Written anew with the same stars for every value, so that neither its length nor its lines can be seen. */
function masked(format: FormatName, variables: Variable[]): string {
  const printed = formats[format].print(variables.map(({ name }) => ({ name, value: hidden })))
  // A Secret has its values in base64, in which the stars would look like a value.
  return "text" in printed ? printed.text.replaceAll(btoa(hidden), hidden) : ""
}

/** A name that every system takes and that hides no file: "production.env" for production. */
export function fileName(environmentName: string, format: FormatName): string {
  const safe = environmentName.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+|[.-]+$/g, "")
  return (safe || "environment") + formats[format].fileEnding
}

/** The programs a format is for, without the marks that only the documents show. */
export function readersOf(format: FormatName): string {
  return formats[format].readers.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "")
}
