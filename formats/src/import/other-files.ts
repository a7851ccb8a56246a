import type { Reading, Syntax } from "./result.ts"
import { refused } from "./result.ts"

interface OtherFile {
  what: string
  because: string
  /** What to import instead, as a sentence. */
  instead: string
  syntax: Syntax
  isIt: (head: string) => boolean
}

/** What is looked at. */
const headCharacters = 20_000

const section = /^\[[^\]"'{,]+\][ \t\r]*$/gm

/** Files that look like one that can be read. Read as such, they would lose a part of a value, or offer what is none. */
const others: OtherFile[] = [
  {
    what: "systemd unit",
    because: "it has the sections of a unit",
    instead: "Import what its Environment lines say, or the file that EnvironmentFile names",
    syntax: "dotenv",
    isIt: (head) => /^\[(?:Unit|Service|Install|Container)\][ \t\r]*$/m.test(head),
  },
  {
    what: "Terraform file",
    because: "it has blocks or values of several lines",
    instead: "Import its values as NAME=value lines",
    syntax: "dotenv",
    isIt: (head) =>
      /^(?:variable|resource|provider|locals|terraform|module|data|output)\b[^=\n]*\{[ \t\r]*$/m.test(head) ||
      /^[ \t]*[\w-]+[ \t]+=[ \t]*(?:\{|<<[-~]?\w+)[ \t\r]*$/m.test(head),
  },
  {
    what: "TOML file",
    because: "it has tables, lists or texts as only TOML writes them",
    instead: "Import its values as NAME=value lines",
    syntax: "dotenv",
    isIt: (head) =>
      /^\[\[[^\]\n]+\]\][ \t\r]*$/m.test(head) ||
      /^[ \t]*[\w."-]+[ \t]+=[ \t]*(?:"""|'''|\[[ \t\r]*$|\{.*\}[ \t\r]*$|\[.*\][ \t\r]*$)/m.test(head),
  },
  {
    what: "INI or TOML file",
    because: "it has several sections",
    instead: "Its names count only within their section: import one section at a time",
    syntax: "dotenv",
    isIt: (head) => (head.match(section)?.length ?? 0) > 1,
  },
  {
    what: "JSON lines",
    because: "each of its lines is an object",
    instead: "Import one of its lines at a time",
    syntax: "json",
    isIt: (head) => {
      const [first = "", second = ""] = head.split("\n").filter((line) => line.trim() !== "")
      return isObject(first) && (isObject(second) || /^\{.{500}/.test(second))
    },
  },
]

/** A file of another kind, which is refused with its name. */
export function otherFile(text: string, syntax: Syntax): Reading | undefined {
  const head = text.slice(0, headCharacters).replace(/^\ufeff/, "")
  const other = others.find((one) => one.syntax === syntax && one.isIt(head))
  if (other === undefined) return undefined
  const { what, because, instead } = other
  return refused(
    what,
    because,
    `${what === "JSON lines" ? "These are" : `This is ${article(what)}`} ${what}. ${instead}`,
  )
}

function article(what: string): string {
  return /^[AEIOU]/.test(what) ? "an" : "a"
}

function isObject(line: string): boolean {
  if (!/^\{.*\}\s*$/.test(line)) return false
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
