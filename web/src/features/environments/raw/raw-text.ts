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

/**
 * What is kept beside the text when it is saved over `now`: all that the text cannot hold, and what it could not hold
 * when it was opened, in its newest state.
 */
export function keptNow(before: RawText, now: Item[]): Variable[] {
  const unseen = new Set(before.kept.map(({ name }) => name))
  return now.flatMap(({ name, value }) =>
    value !== null && (unseen.has(name) || !fitsInTextarea(value)) ? [{ name, value }] : [],
  )
}

const dotenvLine = /^\s*(?:#|export\s)|^[^=]*=\s*(["'`]).*\1\s*$/

/** Whether lines were brought in that a .env file means otherwise. Those that were there before are meant as they are. */
export function takesDotenv(text: string, before: string): boolean {
  const known = new Set(before.split("\n"))
  return text.split("\n").some((line) => dotenvLine.test(line) && !known.has(line))
}
