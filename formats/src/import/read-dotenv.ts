import { dotenvParts } from "../parse-dotenv.ts"
import { describe, withComment } from "./comments.ts"
import { isPlaceholder } from "./lint.ts"
import { isOfDoppler, isVercelFile, readDopplerFile, readVercelFile } from "./quoted-by.ts"
import { hasReference } from "./references.ts"
import type { ImportEntry, Reading } from "./result.ts"

/** Marks of https://varlock.dev/env-spec, which say what a value must be. */
const mark = /^@(?:type|required|optional|sensitive|public|example)\b/m
/** Fewer names without values may be the beginning of what is being typed. */
const minExampleNames = 3

/** A `.env` file, with the comments as descriptions. */
export function readDotenv(text: string): Reading {
  const quoted = readVercelFile(text) ?? readDopplerFile(text)
  if (quoted !== undefined) return { ...recognise(text, quoted), entries: quoted, faults: [] }
  const entries: ImportEntry[] = []
  const faults: Reading["faults"] = []
  let comments: string[] = []
  for (const part of dotenvParts(quotePems(text))) {
    if (part.kind === "empty") {
      comments = withComment(comments, part.text)
      continue
    }
    if (part.kind === "fault") faults.push({ line: part.line, reason: part.reason })
    else {
      const { line, name, value, quote, rest } = part
      entries.push({
        line,
        name,
        value,
        ...describe(comments.length > 0 ? comments : [rest]),
        ...(quote !== "'" && hasReference(value)),
      })
    }
    comments = []
  }
  return { ...recognise(text, entries), entries, faults }
}

function recognise(text: string, entries: ImportEntry[]): Pick<Reading, "what" | "because" | "isExample"> {
  if (isVercelFile(text)) return { what: "Vercel .env file", because: "its first line names the Vercel CLI" }
  if (isOfDoppler(entries)) {
    return { what: "Doppler .env file", because: "it has DOPPLER_PROJECT and DOPPLER_CONFIG" }
  }
  if (entries.some(({ description }) => description !== undefined && mark.test(description))) {
    return { what: ".env.schema file", because: "its comments have marks such as @type", isExample: true }
  }
  if (entries.length >= minExampleNames && entries.every(({ value }) => value === "" || isPlaceholder(value))) {
    return { what: ".env.example file", because: "none of its values is filled in", isExample: true }
  }
  return { what: ".env file", because: "its lines are NAME=value" }
}

const pemStart = /^([ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*)(-----BEGIN [A-Z0-9 ]+-----)[ \t]*$/
const pemEnd = /^-----END [A-Z0-9 ]+-----[ \t]*$/
/** More lines than the longest value has. */
const maxPemLines = 2_000

/**
 * Puts a PEM of several lines in quotes. Without them, dotenv takes its first line for the value and its other lines for
 * something else, which is never what was meant. The number of lines stays the same.
 */
function quotePems(text: string): string {
  if (!text.includes("-----BEGIN ")) return text
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  for (let at = 0; at < lines.length; at++) {
    const [, head, first] = pemStart.exec(lines[at] ?? "") ?? []
    if (head === undefined || first === undefined) continue
    const rest = lines.slice(at + 1, at + maxPemLines)
    const length = 1 + rest.findIndex((line) => /-----BEGIN|-----END|['"]/.test(line))
    if (length === 0 || !pemEnd.test(lines[at + length] ?? "")) continue
    lines[at] = `${head}'${first}`
    lines[at + length] = `${lines[at + length]?.trimEnd()}'`
    at += length
  }
  return lines.join("\n")
}
