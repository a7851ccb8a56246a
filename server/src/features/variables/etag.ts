import { createHash } from "node:crypto"
import type { VariableFormat } from "@envkeep/contract"
import { formats, type Variable } from "@envkeep/formats"

/**
 * Names the bytes of an answer before they are rendered: the environment's id, so that a reader whose key now opens
 * another environment gets no 304, its revision, the format, and how this version of the server writes the format.
 */
export function etagOf(environmentId: number, revision: number, format: VariableFormat): string {
  return `"${environmentId}-${revision}-${format}-${versionOf(format)}"`
}

const versions = new Map<VariableFormat, string>()

function versionOf(format: VariableFormat): string {
  let version = versions.get(format)
  if (version === undefined) {
    version = printerVersion(formats[format].print)
    versions.set(format, version)
  }
  return version
}

/** Differs as soon as a format writes something in another way. Made from what it writes, so that it cannot be forgotten. */
export function printerVersion(print: (variables: Variable[]) => unknown): string {
  const hash = createHash("sha256")
  const lists = [[], [variable("first"), variable("second")], ...sampleVariables().map((one) => [one])]
  // One by one: of a list with a variable that a format cannot hold, nothing is written.
  for (const list of lists) hash.update(JSON.stringify(print(list)))
  return hash.digest("hex").slice(0, 8)
}

const latin = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code))
const fartherAway = ["ż", "漢", "🐢", "😀", "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff", "\ud800"]
const characters = [...latin, ...fartherAway]
/** What formats escape, quote, or take for something else depending on what is next to it. */
const markers = [...characters.filter((one) => /[ \t\n\r!-/:-@[-`{-~]/.test(one)), "n", "r"]

/** Each character alone, at the start, in the middle and at the end of a value and a name, and markers side by side. */
function sampleVariables(): Variable[] {
  const aroundOne = characters.flatMap((one) => [one, `${one}v`, `v${one}v`, `v${one}`])
  const pairs = markers.flatMap((one) => markers.flatMap((other) => [one + other, `v${one}${other}v`]))
  const long = [
    "",
    "v".repeat(2_000),
    "long line ".repeat(200),
    "line\n".repeat(50),
    `'"\``,
    "__proto__",
    "true",
    "1e3",
  ]
  return [
    ...[...aroundOne, ...pairs, ...long].map((text) => variable(text)),
    ...[...aroundOne, ...long].map((text) => variable("value", text)),
  ]
}

function variable(value: string, name = "NAME"): Variable {
  return { name, value }
}
