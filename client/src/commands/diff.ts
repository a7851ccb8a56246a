import { asJson, changesBetween, printChanges } from "../changes.ts"
import { type Command, environmentOptions, jsonOption, showOption } from "../command.ts"
import { readRows } from "../environment.ts"
import type { Given } from "../given.ts"
import { readLocalFile } from "../local-file.ts"
import { Misuse, readNumber } from "../options.ts"
import { writeJson, writeOut } from "../output.ts"
import { findEnvironment, findSession, type Target } from "../target.ts"

export const diff: Command = {
  name: "diff",
  group: "files",
  usage: "[one] [other]",
  summary: "show what differs: files, environments, revisions",
  details: [
    "Each side is a file such as .env or ./app.env, the name of an environment, or a revision as rev:12. One side alone is compared with the environment as it is now; without any, it is .env. A file is then what the environment would become: + is what envkeep push would add, and - what it would delete with --replace. With two sides, + is what the second has in addition. Values are masked unless you add --show. A login that sees only names cannot compare.",
    "The exit code is 0 if both are the same, 1 if they differ, and 2 for a misuse or a failure.",
  ],
  options: [
    ...environmentOptions,
    { name: "from", value: "number", text: "the earlier of two revisions" },
    { name: "to", value: "number", text: "the later one; the current one by default" },
    showOption,
    jsonOption,
  ],
  words: { min: 0, max: 2, tooMany: "diff takes two sides" },
  examples: [
    { line: "envkeep diff", what: "what envkeep push --replace would change" },
    { line: "envkeep diff staging production", what: "two environments" },
    { line: "envkeep diff --from 10 --to 12", what: "two revisions" },
  ],
  execute: compare,
}

type Values = ReadonlyMap<string, string | null>

async function compare(given: Given): Promise<number> {
  const [from, to] = [readNumber("--from", given.text("from")), readNumber("--to", given.text("to"))]
  const isByRevision = from !== undefined || to !== undefined
  if (isByRevision && given.words.length > 0) throw new Misuse("--from and --to compare revisions: leave the sides out")
  // Of a variable of a script that is not set. The environment would be compared with itself.
  if (given.words.includes("")) throw new Misuse("a side of diff is empty")
  if (from === undefined && to !== undefined) throw new Misuse("--to needs --from")
  const revision = (number: number | undefined) => (number === undefined ? "" : `rev:${number}`)
  const sides = isByRevision ? [revision(from), revision(to)] : sidesOf(given.words)
  const [one, other] = [await readSide(given, sides[0] ?? ""), await readSide(given, sides[1] ?? "")]
  const changes = changesBetween(one, other)
  const isShown = given.has("show")
  if (given.has("json")) await writeJson(asJson(changes, isShown))
  else await writeOut(printChanges(changes, isShown, process.stdout))
  return changes.length === 0 ? 0 : 1
}

/** The empty side is the environment as it is now. It comes before a file, so that + is what push would add. */
function sidesOf([one = ".env", other]: string[]): string[] {
  if (other !== undefined) return [one, other]
  return isFile(one) ? ["", one] : [one, ""]
}

async function readSide(given: Given, side: string): Promise<Values> {
  if (isFile(side)) return asMap(await readLocalFile(side))
  const session = await findSession(given)
  const [, revision] = /^rev:(.*)$/.exec(side) ?? []
  const name = side === "" || revision !== undefined ? undefined : side
  const target: Target = { ...session, ...(await findEnvironment(session, given, name ?? given.text("environment"))) }
  return asMap((await readRows(target, readNumber("rev:", revision))).values)
}

/** What looks like a path. An environment of such a name is found by its id. */
function isFile(side: string): boolean {
  return /[\\/]|^\.|\.env$/.test(side)
}

function asMap(list: readonly { name: string; value: string | null }[]): Values {
  return new Map(list.map(({ name, value }) => [name, value]))
}
