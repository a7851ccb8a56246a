import { promises as fs } from "node:fs"
import { type Command, environmentOptions } from "../command.ts"
import { type Described, readDescribed } from "../described.ts"
import { allOf, readEnvironment } from "../environment.ts"
import { writeLocalFile } from "../local-file.ts"
import { printMessage } from "../messages.ts"
import { escaped, forTerminal, writeOut } from "../output.ts"
import { isExistingFile, notWritten } from "../save-file.ts"
import { findTarget } from "../target.ts"

export const types: Command = {
  name: "types",
  group: "tools",
  usage: "[file]",
  summary: "print types for process.env, or write them to a file",
  details: [
    "Of all names that the environment has or that are described. A required name is text, another one may be missing. Descriptions become comments. There is no value in it, so the file can be committed. A token with the scope names is enough.",
    "A file that envkeep did not write is not replaced, unless you add --force.",
  ],
  options: [...environmentOptions, { name: "force", text: "replace a file that envkeep did not write" }],
  words: { min: 0, max: 1, tooMany: "types takes one file" },
  examples: [{ line: "envkeep types src/env.d.ts", what: "for the compiler and the editor" }],
  async execute(given) {
    const target = await findTarget(given)
    const text = typesOf([...allOf(await readEnvironment(target)).keys()], await readDescribed(target))
    const [file] = given.words
    if (file === undefined) return writeOut(text)
    if ((await isExistingFile(file)) && !given.has("force") && !mayReplace(await fs.readFile(file, "utf8"))) {
      throw notWritten(file)
    }
    // Like any other source file.
    await writeLocalFile(file, text, 0o666)
    printMessage(`wrote ${file}`)
    return 0
  },
}

const firstLine = "// Written by envkeep types."

/** An empty file has nothing to lose. */
function mayReplace(existing: string): boolean {
  return existing === "" || existing.startsWith(firstLine)
}

export function typesOf(names: readonly string[], described: readonly Described[]): string {
  const about = new Map(described.map((one) => [one.name, one]))
  const all = [...new Set([...names, ...about.keys()])].toSorted()
  const members = all.map((name) => memberOf(name, about.get(name)))
  return `${firstLine}\ndeclare namespace NodeJS {\n  interface ProcessEnv {\n${members.join("")}  }\n}\n`
}

function memberOf(name: string, about: Described | undefined): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
  const optional = about?.isRequired === true ? "" : "?"
  return `${commentOf(about?.description ?? "")}    ${key}${optional}: ${typeOf(about)}\n`
}

function commentOf(description: string): string {
  const lines = description
    .trim()
    .replaceAll("*/", "*\\/")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(forTerminal)
  if (lines.join("") === "") return ""
  return lines.length === 1
    ? `    /** ${lines[0]} */\n`
    : `    /**\n${lines.map((line) => `${`     * ${line}`.trimEnd()}\n`).join("")}     */\n`
}

// The type of a template, as the compiler reads it.
const numeric = `\`\${number}\``

function typeOf(about: Described | undefined): string {
  if (about?.kind === "choice" && about.choices.length > 0) return about.choices.map(literal).join(" | ")
  return about?.kind === "number" || about?.kind === "port" ? numeric : "string"
}

/** JSON leaves some characters as they are that end a line of a program, or that a terminal obeys. */
function literal(text: string): string {
  return escaped(JSON.stringify(text))
}
