import type { Format, FormatDocs } from "./format.ts"
import { parseJson } from "./parse-json.ts"
import { printing } from "./printing.ts"

export const json = {
  name: "json",
  label: "JSON",
  mediaType: "application/json; charset=utf-8",
  fileEnding: ".json",
  readers: "any JSON parser",
  // Written by hand so that `__proto__` is a name like any other and the order is kept.
  ...printing({
    write: ({ name, value }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
    head: "{",
    separator: ",",
    tail: "}",
    empty: "{}",
  }),
  parse: parseJson,
} as const satisfies Format

export const docs: FormatDocs = {
  example: "`envkeep print --format json | jq -r .NAME`",
  names: "any text",
  values: "any text",
  limits: [
    "JavaScript's `JSON.parse` moves names like `1` to the front. The text itself keeps the order.",
    "On import, a number or `true` becomes the text that was written. `null`, a list or an object in place of a value is reported.",
  ],
}
