import { escaping } from "./escaping.ts"
import type { Format, FormatDocs } from "./format.ts"
import { printing } from "./printing.ts"
import { environmentRefusal, identifier, type Variable } from "./variable.ts"

// Double quotes with the four escapes that every version of systemd reads. Shells read the same escapes, so nothing in a
// value runs when a script sources the file.

const escaped = escaping('"\\`$', (character) => `\\${character}`)

export const systemd = {
  name: "systemd",
  label: "systemd",
  mediaType: "text/plain; charset=utf-8",
  fileEnding: "-systemd.env",
  readers: "`EnvironmentFile=`",
  ...printing({
    refusal: (variable) => environmentRefusal(variable) ?? refusal(variable),
    write: ({ name, value }) => `${name}="${escaped(value)}"\n`,
  }),
} as const satisfies Format

export const docs: FormatDocs = {
  example: "`envkeep save /run/app.env --format systemd`",
  names: "letters, digits and `_`, not starting with a digit",
  values: "no control characters except tab and line break, no Unicode noncharacters",
  limits: [
    "systemd drops a variable whose value has a control character, and rejects the whole file for a noncharacter such as U+FFFE. Both are refused.",
    "The escapes are those of a shell in double quotes, so `$` and backticks stay text when a script sources the file. `environment.d` uses the same quotes but expands `$`.",
  ],
}

/** systemd drops a variable that has one of these. Tab and line break are the only ASCII control characters it allows. */
const control = /(?![\t\n\u0080-\u009f])\p{Cc}/u

/** systemd takes these for invalid UTF-8 and then rejects the whole file. */
const nonCharacter = /\p{Noncharacter_Code_Point}/u

function refusal({ name, value }: Variable): string | undefined {
  if (!identifier.test(name)) return "its name is not a valid identifier"
  if (control.test(value)) return "its value has a control character"
  if (nonCharacter.test(value)) return "its value has a Unicode noncharacter"
  return undefined
}
