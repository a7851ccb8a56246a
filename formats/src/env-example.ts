import { dotenv } from "./dotenv.ts"
import { type Kind, type KindRule, kinds } from "./kinds.ts"
import { parseDotenv } from "./parse-dotenv.ts"

// A `.env.example` has names, what they are for, and examples, but no values. What a value must be is written as marks
// that begin with an @, as https://varlock.dev/env-spec defines them, so that other programs understand them.

/** What is known about a name. */
export interface DescribedName extends KindRule {
  name: string
  description: string
  isRequired: boolean
  /** Otherwise its values are shown unmasked. */
  isSecret: boolean
  /** Empty if there is none. */
  example: string
}

export function printEnvExample(names: readonly DescribedName[]): string {
  return names.map(printName).join("\n")
}

function printName(described: DescribedName): string {
  const { name, description, example } = described
  const marks = marksOf(described).join(" ")
  if ("refused" in dotenv.print([{ name, value: "" }])) {
    return commentOf(
      [
        ...description.split(/[\u2028\u2029]/),
        ...(marks === "" ? [] : [marks]),
        `${name} cannot be in a .env file`,
      ].join("\n"),
    )
  }
  const head = commentOf(`${escapeDescription(description)}\n${marks}`)
  const printed = dotenv.print([{ name, value: example }])
  return head + (example === "" || "refused" in printed ? `${name}=\n` : printed.text)
}

function commentOf(text: string): string {
  const lines = text.replace(/^\n+|\n+$/g, "").split(/\r\n|[\n\r]/)
  return text.trim() === "" ? "" : lines.map((line) => `${`# ${line}`.trimEnd()}\n`).join("")
}

function marksOf({ isRequired, isSecret, kind, choices }: DescribedName): string[] {
  return [
    ...(isRequired ? ["@required"] : []),
    ...(isSecret ? [] : ["@sensitive=false"]),
    ...(kind === "text" ? [] : [`@type=${kind === "choice" ? `enum(${choices.map(quoted).join(", ")})` : kind}`]),
  ]
}

function quoted(choice: string): string {
  return /^[\w.:/@%+-]+$/.test(choice) ? choice : JSON.stringify(choice)
}

/** What a line of a comment must not begin with, because it would be read as something else. */
const special = /^\s*(?:@|Created by |(?:export[ \t]+)?[A-Za-z_][\w.-]*=|[^\p{L}\p{N}\s][^\p{L}\p{N}]*$)/u

/** Line separators would end a comment for some readers, so they are written as escapes, with backslashes before them twice. */
function escapeDescription(description: string): string {
  return description
    .split(/\r\n|[\n\r]/)
    .map((line) =>
      line.replace(/(\\*)(?:([\u2028\u2029])|u202[89])/g, (whole, backslashes: string, separator?: string) => {
        if (separator === undefined) return backslashes + whole
        return `${backslashes}${backslashes}\\u${separator.charCodeAt(0).toString(16)}`
      }),
    )
    .map((line) => (needsBackslash(line) ? `\\${line}` : line))
    .join("\n")
}

/** Also a line that looks as if it had one already. */
function needsBackslash(line: string): boolean {
  return special.test(line.replace(/^[\s\\]+/, ""))
}

function unescapeLine(line: string): string {
  const own = line.startsWith("\\") && needsBackslash(line) ? line.slice(1) : line
  return own.replace(/(\\+)u(202[89])/g, (_, { length }: string, code: string) => {
    const character = length % 2 === 0 ? `u${code}` : String.fromCharCode(Number.parseInt(code, 16))
    return "\\".repeat(length / 2) + character
  })
}

/** A name and what a file says about it. What the file does not say is absent. */
export type FoundDescription = Pick<DescribedName, "name"> & Partial<DescribedName>

/**
 * What a `.env.example` or `.env.schema` says about its names: the comment above a name, or else the one after its value,
 * the marks in them, and the value as an example. Names about which it says nothing are listed too.
 */
export function parseEnvExample(text: string): FoundDescription[] {
  const comments = commentsByName(text)
  const found = new Map<string, FoundDescription>()
  for (const { name, value } of parseDotenv(text).variables) {
    const said = parseComment(comments.get(name) ?? "")
    found.set(name, { ...(value !== "" && { example: value }), ...said, name })
  }
  return [...found.values()]
}

function commentsByName(text: string): Map<string, string> {
  const comments = new Map<string, string>()
  let above: string[] = []
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const [, comment] = /^[ \t]*#+[ \t]?(.*)$/.exec(line) ?? []
    if (comment !== undefined) {
      if (isBanner(comment)) above = []
      else if (!isAssignment(comment)) above.push(comment.trimEnd())
      continue
    }
    const [, name, rest = ""] = /^[ \t]*(?:export[ \t]+)?([^=\s]+)[ \t]*=(.*)$/.exec(line) ?? []
    const [, after = ""] = /^(?:'[^']*'|"[^"]*"|`[^`]*`|[^'"`#]*)[ \t]#+[ \t]?(.*)$/.exec(rest) ?? []
    if (name !== undefined) comments.set(name, above.length > 0 ? above.join("\n") : after.trim())
    above = []
  }
  return comments
}

/** A line such as `-----` is about what follows it, not about one name. */
function isBanner(comment: string): boolean {
  return comment !== "" && !comment.startsWith("\\") && !/[\p{L}\p{N}]/u.test(comment)
}

/** A variable that is commented out. */
function isAssignment(comment: string): boolean {
  return /^[ \t]*(?:export[ \t]+)?[A-Z][A-Z0-9_]*=/.test(comment)
}

/** What the comment of a name says: its description, and its marks. */
export function parseComment(comment: string): Partial<DescribedName> {
  const lines = comment.split("\n")
  const described = lines.filter((line) => !line.startsWith("@"))
  const description = described.map(unescapeLine).join("\n").trim()
  const marks = lines.filter((line) => line.startsWith("@")).flatMap(splitMarks)
  return Object.assign({}, description === "" ? {} : { description }, ...marks.map(readMark))
}

/** The marks of a line: `@required @type=enum(a, "b c") # why`. */
function splitMarks(line: string): string[] {
  return line.match(/@\w+(?:=(?:"[^"]*"|'[^']*'|[^\s"'(]*)(?:\((?:"(?:[^"\\]|\\.)*"|[^")])*\))?)?/g) ?? []
}

function readMark(mark: string): Partial<DescribedName> {
  const [, word = "", value] = /^@(\w+)(?:=(.*))?$/.exec(mark) ?? []
  const isSet = value !== "false"
  if (word === "required") return { isRequired: isSet }
  if (word === "optional") return { isRequired: !isSet }
  if (word === "sensitive") return { isSecret: isSet }
  if (word === "public") return { isSecret: !isSet }
  if (word === "example" && value !== undefined) return { example: unquoted(value) }
  if (word === "type" && value !== undefined) return readType(value)
  return {}
}

function readType(type: string): Partial<DescribedName> {
  const [, word = "", listed] = /^(\w+)(?:\((.*)\))?$/.exec(type) ?? []
  if (word === "enum") {
    const choices = (listed?.match(/"(?:[^"\\]|\\.)*"|[^,\s][^,]*/g) ?? []).map((choice) => unquoted(choice.trim()))
    const distinct = [...new Set(choices.filter((choice) => choice !== ""))]
    return distinct.length === 0 ? {} : { kind: "choice", choices: distinct }
  }
  return word !== "choice" && isKind(word) ? { kind: word } : {}
}

function isKind(word: string): word is Kind {
  return (kinds as readonly string[]).includes(word)
}

function unquoted(text: string): string {
  if (/^".*"$/.test(text)) {
    try {
      return String(JSON.parse(text))
    } catch {
      return text.slice(1, -1)
    }
  }
  return /^'.*'$/.test(text) ? text.slice(1, -1) : text
}
