import { type Command, environmentOptions, jsonOption, showOption } from "../command.ts"
import { readEnvironment } from "../environment.ts"
import { CommandError } from "../messages.ts"
import { mask, quoted, table, writeJson, writeOut } from "../output.ts"
import { findCollection, findSession, findTarget, listCollections } from "../target.ts"

export const list: Command = {
  name: "list",
  group: "values",
  usage: "[collections | environments]",
  summary: "list the names of an environment, or what there is",
  details: [
    "Without a word: the variables of the environment, values masked. With a word: all collections, or the environments of one.",
  ],
  options: [...environmentOptions, showOption, jsonOption],
  words: { min: 0, max: 1 },
  examples: [
    { line: "envkeep list", what: "the variables of this folder's environment" },
    { line: "envkeep list environments -c app", what: "the environments of a collection" },
  ],
  async execute(given) {
    const [what = "names"] = given.words
    if (what === "collections") {
      const all = await listCollections(await findSession(given))
      const rows = all.map(({ id, name, role, subCollections }) => ({
        id,
        name,
        role,
        environments: subCollections.length,
      }))
      if (given.has("json")) return writeJson(rows)
      const cells = rows.map(({ id, name, role, environments }) => [String(id), name, role, String(environments)])
      return writeOut(table(["ID", "COLLECTION", "ROLE", "ENVIRONMENTS"], cells))
    }
    if (what === "environments") {
      const { subCollections } = await findCollection(await findSession(given), given)
      const rows = subCollections.map(({ id, name, revision, itemCount, isProtected }) => ({
        id,
        name,
        revision,
        variables: itemCount,
        isProtected,
      }))
      if (given.has("json")) return writeJson(rows)
      const cells = rows.map((row) => [
        String(row.id),
        row.name,
        String(row.revision),
        String(row.variables),
        row.isProtected ? "yes" : "",
      ])
      return writeOut(table(["ID", "ENVIRONMENT", "REVISION", "VARIABLES", "PROTECTED"], cells))
    }
    if (what !== "names") throw new CommandError(`list takes collections or environments, not ${JSON.stringify(what)}`)
    const environment = await readEnvironment(await findTarget(given))
    const isShown = given.has("show")
    const rows = [
      ...environment.items.map(({ name, value }) => ({ name, value, isInherited: false })),
      ...environment.inherited.map(({ name, value }) => ({ name, value, isInherited: true })),
    ]
    if (given.has("json")) {
      return writeJson(rows.map(({ name, value, isInherited }) => ({ name, isInherited, ...(isShown && { value }) })))
    }
    const text = (value: string | null) => (value === null ? "(hidden)" : isShown ? quoted(value) : mask)
    const cells = rows.map(({ name, value, isInherited }) => [name, text(value), isInherited ? "inherited" : ""])
    return writeOut(table(["NAME", "VALUE", ""], cells))
  },
}
