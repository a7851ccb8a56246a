import { withUnixBreaks } from "./line-breaks.ts"
import type { ImportEntry } from "./result.ts"

// Products that write .env files with rules of their own for quotes. A file is read by such rules only if all of it
// follows them: to dotenv, some of these files say something else, and others cannot be read at all.

interface Quoting {
  /** A name, and its value before the escapes are replaced. */
  assignment: RegExp
  decode: (value: string) => string
}

/** One line each. Quotes inside of a value are not escaped. */
const vercel: Quoting = {
  assignment: /([\w.-]+)="(.*)"[ \t]*(?:\n|$)/y,
  decode: (value) => value.replaceAll("\\n", "\n").replaceAll("\\r", "\r"),
}

/** Line breaks are written as they are. */
const doppler: Quoting = {
  assignment: /([\w.-]+)="([^"\\]*(?:\\[\\"n][^"\\]*)*)"[ \t]*(?:\n|$)/y,
  decode: withoutBackslashes,
}

/** What `heroku config -s` writes: quotes only where they are needed, with escapes inside of both kinds. */
const heroku: Quoting = {
  assignment:
    /([\w.-]+)=([^"\s#!$&'()*,:;<=>?@[\\\]^`{|}]*|'[^'\\\n]*(?:\\\\[^'\\\n]*)*'|"[^"\\$`!\n]*(?:\\["\\$`!n][^"\\$`!\n]*)*")(?:\n|$)/y,
  decode: (value) => (/^["']/.test(value) ? withoutBackslashes(value.slice(1, -1)) : value),
}

/** As Envkeep prints it. Line breaks are written as they are. */
const systemd: Quoting = {
  assignment: /([\w.-]+)="([^"\\$`]*(?:\\["\\$`][^"\\$`]*)*)"[ \t]*(?:\n|$)/y,
  decode: (value) => value.replace(/\\(["\\$`])/g, "$1"),
}

const vercelHead = /^\s*#\s*Created by Vercel CLI.*\n/i
const dopplerNames = ["DOPPLER_PROJECT", "DOPPLER_CONFIG"]

export function readVercelFile(text: string): ImportEntry[] | undefined {
  const head = vercelHead.exec(text)?.[0]
  return head === undefined ? undefined : readAll(text, head.length, vercel)
}

export function readDopplerFile(text: string): ImportEntry[] | undefined {
  const entries = readAll(text, 0, doppler)
  return entries && isOfDoppler(entries) ? entries : undefined
}

/** Whether it has the names that Doppler adds to what it exports. */
export function isOfDoppler(entries: ImportEntry[]): boolean {
  const names = new Set(entries.map(({ name }) => name))
  return dopplerNames.every((name) => names.has(name))
}

export function isVercelFile(text: string): boolean {
  return vercelHead.test(text)
}

export function readSystemdFile(text: string): ImportEntry[] | undefined {
  return readAll(text, 0, systemd)
}

export function readHerokuShell(text: string): ImportEntry[] | undefined {
  return readAll(text, 0, heroku)
}

/** Heroku's limit is 64 kB for all variables of an app. */
const maxHerokuCharacters = 200_000

/** Whether `heroku config -s` wrote the text, and dotenv would read it as something else. */
export function isHerokuShell(text: string): boolean {
  if (text.length > maxHerokuCharacters || !text.includes("\\")) return false
  const written = writtenBy(heroku, text)
  if (written === undefined || !written.some((value) => /^["'].*\\/.test(value))) return false
  // Others do not escape a quote like this, or do not put an address in quotes.
  return written.some((value) => /^".*\\"./.test(value) || /^'[\w.:/@%+,-]+'$/.test(value))
}

/** Whether it is an `EnvironmentFile` of systemd with escapes that dotenv does not know. Doppler's escapes are similar. */
export function isSystemd(text: string): boolean {
  if (!/\\["`$]/.test(text) || /^DOPPLER_CONFIG=/m.test(text)) return false
  // Our .env files have double quotes only around a value with a single one, and none inside of them.
  return writtenBy(systemd, text)?.some((value) => value.includes('\\"') || !value.includes("'")) ?? false
}

function withoutBackslashes(value: string): string {
  return value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped))
}

/** The variables, if all of the text from there on is written so. */
function readAll(text: string, from: number, quoting: Quoting): ImportEntry[] | undefined {
  const entries: ImportEntry[] = []
  for (const found of assignments(text, from, quoting)) {
    if (found === undefined) return undefined
    entries.push({ ...found, value: quoting.decode(found.value) })
  }
  return entries
}

/** The values with their quotes, if all of the text is written so. */
function writtenBy(quoting: Quoting, text: string): string[] | undefined {
  const values: string[] = []
  for (const found of assignments(text, 0, quoting)) {
    if (found === undefined) return undefined
    values.push(found.value)
  }
  return values
}

/** Undefined where something else is written, and that is the last. Blank lines may be anywhere. */
function* assignments(text: string, from: number, { assignment }: Quoting): Generator<ImportEntry | undefined> {
  const source = withUnixBreaks(text)
  let line = source.slice(0, from).split("\n").length
  for (let at = from; at < source.length; ) {
    if (source[at] === "\n") {
      at++
      line++
      continue
    }
    assignment.lastIndex = at
    const [whole, name = "", value = ""] = assignment.exec(source) ?? []
    if (whole === undefined) return yield undefined
    yield { line, name, value }
    line += whole.split("\n").length - 1
    at += whole.length
  }
}
