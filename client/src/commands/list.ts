import type { Session } from "../api.ts"
import { type Command, environmentOptions, jsonOption, showOption } from "../command.ts"
import { readEnvironment } from "../environment.ts"
import type { Given } from "../given.ts"
import { CommandError } from "../messages.ts"
import { mask, quoted, table, writeJson, writeOut } from "../output.ts"
import { choiceOf, findCollection, findSession, findTarget, listCollections } from "../target.ts"

export const list: Command = {
  name: "list",
  group: "values",
  usage: "[collections | environments | collection [environment]]",
  summary: "list collections, environments, or the names of one",
  details: [
    "The variables of the environment, values masked; the environments, if only a collection is chosen; or all collections. A word says which of these, or names the collection and the environment.",
  ],
  options: [...environmentOptions, showOption, jsonOption],
  words: { min: 0, max: 2 },
  examples: [
    { line: "envkeep list", what: "the variables of this folder's environment" },
    { line: "envkeep list app", what: "the environments of a collection" },
    { line: "envkeep list app production", what: "the variables of one of them" },
  ],
  async execute(asked) {
    const [first, second] = asked.words
    const isKind = first === "collections" || first === "environments"
    if (isKind && second !== undefined) throw new CommandError(`list ${first} takes no ${JSON.stringify(second)}`)
    const named = second ?? asked.text("environment")
    const given = isKind || first === undefined ? asked : about(asked, { collection: first, environment: named })
    const session = await findSession(given)
    const { collection, environment } = choiceOf(session, given)
    if (isKind ? first === "collections" : collection === undefined) return listAll(session, given)
    const hasEnvironment = first === undefined ? environment !== undefined : !isKind && named !== undefined
    if (!hasEnvironment) return listEnvironments(session, given)
    return listNames(given)
  },
}

/** As if its options had named these. */
function about(given: Given, named: Record<string, string | undefined>): Given {
  return { ...given, text: (option) => (option in named ? named[option] : given.text(option)) }
}

async function listAll(session: Session, given: Given): Promise<number> {
  const all = await listCollections(session)
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

async function listEnvironments(session: Session, given: Given): Promise<number> {
  const { subCollections } = await findCollection(session, given)
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

async function listNames(given: Given): Promise<number> {
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
}
