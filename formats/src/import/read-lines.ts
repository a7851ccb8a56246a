import { keyBlocksIn } from "../key-block.ts"
import { parseRaw } from "../raw.ts"
import { readHerokuShell, readSystemdFile } from "./quoted-by.ts"
import { readDotenv } from "./read-dotenv.ts"
import type { ImportEntry, Reading } from "./result.ts"

/** Raw text: everything after the first equals sign is the value. */
export function readRaw(text: string): Reading {
  const keys = keyBlocksIn(text)
  const entries: ImportEntry[] = []
  let read = 0
  let line = 1
  for (const { start, end } of [...keys, { start: text.length, end: text.length }]) {
    const lines = text.slice(read, start).split("\n")
    for (const [at, one] of lines.entries()) {
      entries.push(...parseRaw(one).map((variable) => ({ line: line + at, ...variable })))
    }
    line += lines.length - 1 + text.slice(start, end + 1).split("\n").length - 1
    read = end + 1
  }
  const faults = keys.map(({ line, reason }) => ({ line, reason }))
  return { what: "Raw text", because: "every line is taken literally", entries, faults }
}

/** What `heroku config` prints: a heading, then a name, a colon, spaces and the value on each line. Or that of its -s. */
export function readHeroku(text: string): Reading {
  const quoted = readHerokuShell(text)
  if (quoted !== undefined) {
    return {
      what: "heroku config -s",
      because: "its values are quoted as only Heroku does",
      entries: quoted,
      faults: [],
    }
  }
  const entries: ImportEntry[] = []
  const faults: Reading["faults"] = []
  for (const [at, row] of text.replaceAll("\r\n", "\n").split("\n").entries()) {
    const [, name, value = ""] = /^([\w.-]+):(?:[ \t]+(.*))?$/.exec(row) ?? []
    if (name !== undefined) entries.push({ line: at + 1, name, value })
    else if (!/^(?:\ufeff?=== .*|\s*)$/.test(row)) faults.push({ line: at + 1, reason: "it is not a NAME: value line" })
  }
  return { what: "Heroku config table", because: "its heading is that of heroku config", entries, faults }
}

/** What Envkeep exports for systemd. A file with comments or other quotes is read like a .env file. */
export function readSystemd(text: string): Reading {
  const entries = readSystemdFile(text)
  if (entries === undefined) return readDotenv(text)
  return { what: "systemd EnvironmentFile", because: "its values are quoted as systemd does", entries, faults: [] }
}
