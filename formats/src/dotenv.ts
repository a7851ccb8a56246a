import type { Format, FormatDocs } from "./format.ts"
import { parseDotenv } from "./parse-dotenv.ts"
import { printing } from "./printing.ts"
import { environmentRefusal, type Variable } from "./variable.ts"

// Written for two readers at once, dotenv and `node --env-file`. Neither has an escape for its own quotes, and they
// disagree about backslashes, so only what both read the same way is written. Everything else is refused.

export const dotenv = {
  name: "dotenv",
  label: ".env file",
  mediaType: "text/plain; charset=utf-8",
  fileEnding: ".env",
  readers: "[dotenv](https://www.npmjs.com/package/dotenv) 16 to 18, `node --env-file` of Node 20.12 or newer",
  ...printing({
    refusal: (variable) => environmentRefusal(variable) ?? refusal(variable),
    write: ({ name, value }) => `${name}=${quoted(value)}\n`,
  }),
  parse: parseDotenv,
} as const satisfies Format

export const docs: FormatDocs = {
  example: "`envkeep save .env`",
  names: "letters, digits, `_`, `.` and `-`; not `__proto__`, which dotenv loses, and not a number, which Node loses",
  values: "no carriage return; see below for quotes and backslashes",
  limits: [
    "Neither reader has an escape for quotes. A value is put in the first of `'`, `\"` and `` ` `` that it does not contain. A value with all three kinds is written without quotes, and is refused if it also has a line break, a `#`, a space at either end or a quote at its start.",
    "Both readers turn `\\n` inside double quotes into a line break, so a value with a backslash before an `n` or `r` is never put in double quotes.",
    "dotenv may take a backslash before the closing quote for an escape (`A='x\\'` can swallow the next line). A value that ends in a backslash is written without quotes, or refused if it needs them.",
    "Node removes every carriage return and dotenv turns it into a line break, so a value with a carriage return is refused.",
    "Tools that expand `$` (dotenv-expand, Vite, Next.js, Docker Compose) do so outside single quotes. A value with a `$` is put in single quotes unless it contains one.",
    "python-dotenv reads by other rules: it expands `$` with a name in braces in single quotes too, halves double backslashes there, and takes backticks for text. Start a Python program with `envkeep run`, or give it `json`.",
    "Node reads `A= `, with only a space after the equals sign, as the whole next line. An empty value is written as `''`.",
    "On import, Envkeep understands `export`, comments, all three kinds of quotes, values of several lines, Windows line endings and a byte order mark. It reports a line that dotenv and Node would read differently (a backslash before a quote, text after the closing quote, `\\r` in double quotes), a quote that is never closed, and a `#` without a space before it, where both would cut the value.",
  ],
}

const nameCharacters = /^[\w.-]+$/
const needsNoQuotes = /^[\w.:/@%+,-]+$/

function refusal({ name, value }: Variable): string | undefined {
  if (!nameCharacters.test(name)) return "its name has characters other than letters, digits, '_', '.' and '-'"
  // dotenv collects what it reads in a plain object, where this name is the prototype instead of a member.
  if (name === "__proto__") return "dotenv cannot read this name"
  if (/^\d+$/.test(name)) return "its name is a number, which Node skips"
  if (value.includes("\r")) return "its value has a carriage return"
  if (quoted(value) !== undefined) return undefined
  if (value.endsWith("\\")) return "its value ends in a backslash and needs quotes"
  return "its value has too many kinds of quotes"
}

/** The value as it is written, or undefined when no spelling is read back by both readers. */
function quoted(value: string): string | undefined {
  if (needsNoQuotes.test(value)) return value
  // dotenv may take a backslash before the closing quote for an escape and read on into the next line.
  const quote = value.endsWith("\\") ? undefined : ["'", '"', "`"].find((quote) => canQuote(value, quote))
  if (quote !== undefined) return quote + value + quote
  return canBeBare(value) ? value : undefined
}

function canQuote(value: string, quote: string): boolean {
  // In double quotes both readers turn \n into a line break, and dotenv also \r.
  return !value.includes(quote) && !(quote === '"' && /\\[nr]/.test(value))
}

function canBeBare(value: string): boolean {
  return value === value.trim() && !/[#\n\u2028\u2029]|^['"`]/.test(value)
}
