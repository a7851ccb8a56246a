import { api } from "../api.ts"
import { confirm } from "../ask.ts"
import { changesBetween, placeOf, printChanges, protectionOf } from "../changes.ts"
import { type Command, changeOptions, environmentOptions, jsonOption } from "../command.ts"
import { readEnvironment, readOwnPast } from "../environment.ts"
import { printMessage } from "../messages.ts"
import { readNumber } from "../options.ts"
import { say, table, writeJson, writeOut } from "../output.ts"
import { findTarget } from "../target.ts"

interface Revision {
  number: number
  at: string
  action: string
  by: string | null
  note: string
  added: number
  changed: number
  removed: number
  /** The revision that was restored, or that was copied from. */
  source: number | null
  sourceEnvironment: { name: string } | null
  names: { name: string }[]
}

export const history: Command = {
  name: "history",
  group: "values",
  usage: "",
  summary: "list the environment's revisions, newest first",
  details: ["The last 50. --before continues after the last one of them."],
  options: [
    ...environmentOptions,
    { name: "before", value: "number", text: "only those before this revision" },
    jsonOption,
  ],
  examples: [{ line: "envkeep history -e production", what: "who changed what, and when" }],
  async execute(given) {
    const before = readNumber("--before", given.text("before"))
    const target = await findTarget(given)
    const query = before === undefined ? "" : `?before=${before}`
    const path = `/environments/${target.environment.id}/history${query}`
    const { revisions } = await api<{ revisions: Revision[] }>(target, { path })
    if (given.has("json")) return writeJson(revisions)
    const rows = revisions.map((revision) => [
      String(revision.number),
      revision.at.slice(0, 16).replace("T", " "),
      revision.by ?? "the server",
      `+${revision.added} ~${revision.changed} -${revision.removed}`,
      revision.note === "" ? whatWasDone(revision) : revision.note,
    ])
    return writeOut(table(["REVISION", "WHEN (UTC)", "BY", "CHANGES", "WHAT"], rows))
  },
}

const actionWords: Record<string, string> = {
  "environment.create": "created",
  "environment.rename": "renamed the environment",
  "environment.rebase": "changed what it inherits from",
  "environment.inherit": "inherited",
  "collection.duplicate": "duplicated",
  "history.begin": "the history begins",
}

function whatWasDone({ action, source, sourceEnvironment, names }: Revision): string {
  if (sourceEnvironment !== null) return `copied from ${sourceEnvironment.name}`
  if (source !== null) return `restored revision ${source}`
  // Of many names, none is told.
  return actionWords[action] ?? (names.map(({ name }) => name).join(", ") || "saved the list")
}

export const rollback: Command = {
  name: "rollback",
  group: "values",
  usage: "REVISION",
  summary: "restore what the environment set itself at a revision",
  details: [
    "Shows what changes and asks. This is a new revision, so it can be undone in the same way.",
    "What it inherits is not rolled back: it stays as the base has it now.",
  ],
  options: changeOptions,
  words: { min: 1, max: 1, missing: "rollback needs a revision: envkeep rollback 12" },
  examples: [{ line: "envkeep rollback 12", what: "back to revision 12" }],
  async execute(given) {
    const revision = readNumber("rollback", given.words[0])
    const target = await findTarget(given)
    const environment = await readEnvironment(target)
    const past = (await readOwnPast(target, revision ?? 1)).values
    const byName = (list: typeof past) => new Map(list.map(({ name, value }) => [name, value]))
    const changes = changesBetween(byName(environment.items), byName(past))
    if (changes.length === 0) {
      printMessage(`${placeOf(target)} itself holds the same as at revision ${revision}: nothing to change`)
      return 0
    }
    say(printChanges(changes, given.has("show"), process.stderr))
    const question = `Restore revision ${revision} of ${placeOf(target)}${protectionOf(target)}?`
    if (!(await confirm(question, given.has("yes")))) {
      printMessage("nothing was changed")
      return 1
    }
    const note = given.text("note")
    const body = { revision, current: environment.revision, ...(note === undefined ? {} : { note }) }
    const path = `/environments/${target.environment.id}/restore`
    const after = await api<{ revision: number }>(target, { method: "POST", path, body })
    printMessage(`rolled ${placeOf(target)} back to revision ${revision}, now at revision ${after.revision}`)
    return 0
  },
}
