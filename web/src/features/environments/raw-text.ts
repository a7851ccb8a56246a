import type { Item } from "@envkeep/contract"
import { parseRaw, printRaw, rawRefusal, type Variable } from "@envkeep/formats"

export interface RawText {
  text: string
  /** Items whose values a line cannot hold: kept as they are. */
  kept: Variable[]
  /** Items whose stored values cannot be read, by name. */
  damaged: string[]
}

/** The items as text. Nothing is lost by opening and confirming: what the text cannot hold is kept beside it. */
export function rawText(items: Item[]): RawText {
  const readable = items.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
  return {
    text: printRaw(readable.filter(({ value }) => fitsInTextarea(value))),
    kept: readable.filter(({ value }) => !fitsInTextarea(value)),
    damaged: items.filter(({ value }) => value === null).map(({ name }) => name),
  }
}

/** A text area turns every carriage return into a line break, so here no value may hold one anywhere. */
function fitsInTextarea(value: string): boolean {
  return rawRefusal(value) === undefined && !value.includes("\r")
}

/** What the environment will hold after Confirm. A kept item gives way to a line with its name. */
export function mergeRaw(text: string, kept: Variable[]): { lines: Variable[]; all: Variable[] } {
  const lines = parseRaw(text)
  const named = new Set(lines.map(({ name }) => name))
  return { lines, all: [...kept.filter(({ name }) => !named.has(name)), ...lines] }
}
