import { isHerokuShell, isSystemd } from "./quoted-by.ts"
import type { Syntax } from "./result.ts"

/** What is looked at to tell how a text is written. */
const headCharacters = 20_000

/** Envkeep's exports that look like .env files and are not. */
const ownFiles: [RegExp, Syntax][] = [
  [/-docker\.env$/, "raw"],
  [/-systemd\.env$/, "systemd"],
]

/** How a text is written. The first line that means something decides, and the name of its file only for our exports. */
export function detectSyntax(text: string, file = ""): Syntax {
  const own = ownFiles.find(([name]) => name.test(file))?.[1]
  if (own !== undefined) return own
  const head = text.slice(0, headCharacters).replace(/^\ufeff/, "")
  const lines = head.split("\n").filter((line) => !/^\s*(?:#.*)?$/.test(line))
  const first = lines[0]?.trimEnd() ?? ""
  if (/^\s*[{[]/.test(first) && !isSection(first, lines[1])) return "json"
  if (/^=== .+ Config Vars$/.test(first)) return "heroku"
  if (/^(?:---(?:\s|$)|%YAML|-\s)/.test(first)) return "yaml"
  // A name and a colon, before any equals sign.
  if (/^\s*(?:(?:"[^"]*"|'[^']*')\s*|[^\s"'=:#][^"'=:#]*):(?:\s|$)/.test(first)) return "yaml"
  if (isScript(head)) return "shell"
  if (isHerokuShell(text)) return "heroku"
  if (isSystemd(text)) return "systemd"
  return isShell(statementsIn(head)) ? "shell" : "dotenv"
}

/** The head of a section in a file such as `~/.aws/credentials`, which is not a list. */
function isSection(line: string, next: string | undefined): boolean {
  return /^\s*\[[^\]"{,]*\]$/.test(line) && next !== undefined && /^\s*[\w.-]+\s*=/.test(next)
}

/** It begins as scripts do, or gives a command a here-document. */
function isScript(head: string): boolean {
  if (/^#!.*\b(?:ba|da|k|z)?sh\b/.test(head)) return true
  return /<<-?[ \t]*["'\\]?[A-Za-z_]/.test(head) && statementsIn(head).some((one) => hereDocument.test(one))
}

const hereDocument = /^[ \t]*[a-z][^=#\n]*<<-?[ \t]*["'\\]?[A-Za-z_]/

/** Every assignment is exported, or a value is written as only shells do: 'it'\''s', $'two\nlines'. */
function isShell(statements: string[]): boolean {
  if (statements.some((one) => /^[^=]*=(?:\$'(?:[^'\\]|\\.)*'[ \t\r]*$|'[^']*'\\'')/.test(one))) return true
  // A line such as `TQ==` ends a key in base64.
  const assigned = statements.filter((one) => !/^[\w+/]+==?$/.test(one) && assignment.test(one))
  return assigned.length > 0 && assigned.every((one) => /^(?:export|(?:declare|typeset)\s+-\w*x\w*)\s/.test(one))
}

const assignment = /^(?:[a-z]+[ \t]+(?:-\w+[ \t]+)*)?[A-Za-z_]\w*=/

/** The lines, but a value in quotes with all of its lines: what it says must not be taken for an assignment. */
function statementsIn(text: string): string[] {
  const statements: string[] = []
  for (let start = 0; start < text.length; ) {
    const [head = ""] = assignment.exec(text.slice(start, endOfLine(text, start))) ?? []
    const end = endOfLine(text, head === "" ? start : endOfQuotes(text, start + head.length))
    statements.push(text.slice(start, end))
    start = end + 1
  }
  return statements
}

/** Where the quoted parts of a value end that follow each other, as in 'it'\''s'. Without quotes, where it begins. */
function endOfQuotes(text: string, start: number): number {
  for (let at = start; ; ) {
    const quote = text.charAt(at)
    if (quote === "\\" && at > start) at += 2
    else if (quote !== "'" && quote !== '"') return Math.min(at, text.length)
    else {
      const close = closingQuote(text, at)
      if (close === -1) return text.length
      at = close + 1
    }
  }
}

function closingQuote(text: string, open: number): number {
  const quote = text.charAt(open)
  let close = text.indexOf(quote, open + 1)
  while (quote === '"' && close !== -1 && text.charAt(close - 1) === "\\") close = text.indexOf(quote, close + 1)
  return close
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from)
  return end === -1 ? text.length : end
}
