import type { Item } from "@envkeep/contract"
import { parseRaw, printRaw, rawRefusal, type Variable } from "@envkeep/formats"

export interface RawText {
  text: string
  /** Items whose values do not fit on one line. They are kept unchanged. */
  kept: Variable[]
  /** Items whose stored values cannot be read, by name. */
  damaged: string[]
}

/** The items as text. Items that do not fit into the text are kept beside it, so that confirming loses nothing. */
export function rawText(items: Item[]): RawText {
  const readable = items.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
  return {
    text: printRaw(readable.filter(({ value }) => fitsInLine(value))),
    kept: readable.filter(({ value }) => !fitsInLine(value)),
    damaged: items.filter(({ value }) => value === null).map(({ name }) => name),
  }
}

/** Whether a line of the text area can hold the value. It turns every carriage return into a line break. */
export function fitsInLine(value: string): boolean {
  return rawRefusal(value) === undefined && !value.includes("\r")
}

/** What the environment will hold after Confirm. A line replaces a kept item of the same name. */
export function mergeRaw(text: string, kept: Variable[]): { lines: Variable[]; all: Variable[] } {
  const lines = parseRaw(text)
  const named = new Set(lines.map(({ name }) => name))
  return { lines, all: [...kept.filter(({ name }) => !named.has(name)), ...lines] }
}

/**
 * What is kept beside the text when it is saved over `now`: every item that does not fit into the text, and the current
 * state of every item that did not fit when the text was opened.
 */
export function keptOver(before: RawText, now: Item[]): Variable[] {
  const unseen = new Set(before.kept.map(({ name }) => name))
  return now.flatMap(({ name, value }) =>
    value !== null && (unseen.has(name) || !fitsInLine(value)) ? [{ name, value }] : [],
  )
}
