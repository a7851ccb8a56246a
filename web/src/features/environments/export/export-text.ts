import type { Item } from "@envkeep/contract"
import { type FormatName, formatNames, formats, type Refused, type Variable } from "@envkeep/formats"

interface Exported {
  /** How many variables there are to export. */
  count: number
  /** Names of items whose stored values cannot be read. They are left out. */
  damaged: string[]
  /** The text, and the same text with masked values; or every variable that the format cannot hold. */
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

/** The formats that can hold every variable. */
export function workingFormats(items: Item[]): FormatName[] {
  const variables = readable(items)
  return formatNames.filter((format) => "text" in formats[format].print(variables))
}

function readable(items: Item[]): Variable[] {
  return items.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
}

const hidden = "********"

/** Printed with the same stars for every value, so that neither its length nor its line count is visible. */
function masked(format: FormatName, variables: Variable[]): string {
  const printed = formats[format].print(variables.map(({ name }) => ({ name, value: hidden })))
  // In a Secret the stars would be in base64 and look like a value.
  return "text" in printed ? printed.text.replaceAll(btoa(hidden), hidden) : ""
}

/** A file name that is valid on every system and not hidden: "production.env" for production. */
export function fileName(environmentName: string, format: FormatName): string {
  const safe = environmentName.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+|[.-]+$/g, "")
  return (safe || "environment") + formats[format].fileEnding
}

/** The programs that read a format, without the Markdown of the documents. */
export function readersOf(format: FormatName): string {
  return formats[format].readers.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "")
}
