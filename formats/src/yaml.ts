import { escaping } from "./escaping.ts"
import type { Format, FormatDocs } from "./format.ts"
import { printing } from "./printing.ts"
import { textRefusal, type Variable } from "./variable.ts"

const c1Controls = Array.from({ length: 33 }, (_, index) => String.fromCharCode(0x7f + index)).join("")
const escaped = escaping(
  `${c1Controls}\u2028\u2029\ufeff\ufffe\uffff`,
  (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
)

export const yaml = {
  name: "yaml",
  label: "YAML",
  mediaType: "application/yaml; charset=utf-8",
  fileEnding: ".yaml",
  readers: "any YAML 1.1 or 1.2 parser",
  ...printing({
    refusal,
    write: ({ name, value }) => `${yamlString(name)}: ${yamlString(value)}\n`,
    empty: "{}\n",
  }),
} as const satisfies Format

export const docs: FormatDocs = {
  example: "`envkeep save values.yaml --format yaml`",
  names: "any text of up to 1,022 characters, counting escapes",
  values: "any text",
  limits: ["Names and values are always in double quotes, so `NO`, `1e3` and `null` stay text."],
}

/** A parser may stop looking for the colon after this many characters. */
const maxKeyLength = 1024

function refusal(variable: Variable): string | undefined {
  return (
    textRefusal(variable) ??
    (yamlString(variable.name).length > maxKeyLength ? "its name is too long for a key" : undefined)
  )
}

/** A JSON string is a YAML string, except for characters that YAML wants escaped or that older parsers take for line breaks. */
export function yamlString(text: string): string {
  return escaped(JSON.stringify(text))
}
