import type { Format, FormatDocs } from "./format.ts"
import { printing } from "./printing.ts"
import { environmentRefusal, type Variable } from "./variable.ts"

export const docker = {
  name: "docker",
  label: "Docker",
  mediaType: "text/plain; charset=utf-8",
  fileEnding: "-docker.env",
  readers: "`docker run --env-file`",
  ...printing({
    refusal: (variable) => environmentRefusal(variable) ?? refusal(variable),
    write: (variable) => `${line(variable)}\n`,
  }),
} as const satisfies Format

export const docs: FormatDocs = {
  example: "`docker run --env-file <(envkeep print --format docker) image`",
  names: "no whitespace, no `=`, not starting with `#`",
  values: "no line break, no carriage return at the end",
  limits: [
    "There are no quotes and no escapes, so a value with a line break cannot be written.",
    "Docker reads lines of up to 65,535 bytes. A longer line is refused.",
    "Docker Compose reads `env_file:` by other rules. Give it this format with `format: raw` (Compose 2.30 or newer).",
  ],
}

/** Docker's line reader fails on a line that does not fit its 64 KiB buffer together with the line break. */
const maxLineBytes = 65_535

function refusal(variable: Variable): string | undefined {
  const { name, value } = variable
  if (name === "") return "its name is empty"
  if (/[\s\u0085]/.test(name)) return "its name has a space"
  if (name.includes("=")) return "its name has an equals sign"
  if (name.startsWith("#")) return "its name begins with #, which starts a comment"
  if (value.includes("\n")) return "its value has a line break"
  if (value.endsWith("\r")) return "its value ends in a carriage return"
  if (new TextEncoder().encode(line(variable)).length > maxLineBytes) return "it is longer than 65,535 bytes"
  return undefined
}

function line({ name, value }: Variable): string {
  return `${name}=${value}`
}
