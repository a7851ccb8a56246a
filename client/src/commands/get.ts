import { type Command, environmentOptions, jsonOption } from "../command.ts"
import { allOf, hidden, readEnvironment, readRows } from "../environment.ts"
import { CommandError } from "../messages.ts"
import { readNumber } from "../options.ts"
import { writeJson, writeOut } from "../output.ts"
import { findTarget } from "../target.ts"

export const get: Command = {
  name: "get",
  group: "values",
  usage: "NAME",
  summary: "print one value",
  details: ["The value as it is, with a line break after it on a terminal only, so that $(envkeep get NAME) is exact."],
  options: [
    ...environmentOptions,
    { name: "revision", value: "number", text: "as it was at this revision" },
    jsonOption,
  ],
  words: { min: 1, max: 1, missing: "get needs a name: envkeep get NAME" },
  examples: [{ line: 'psql "$(envkeep get DATABASE_URL)"', what: "use a value" }],
  async execute(given) {
    const [name = ""] = given.words
    const revision = readNumber("--revision", given.text("revision"))
    const target = await findTarget(given)
    const now = revision === undefined ? await readEnvironment(target) : undefined
    const values =
      now === undefined
        ? new Map((await readRows(target, revision)).values.map((one) => [one.name, one.value]))
        : allOf(now)
    const value = values.get(name)
    if (value === undefined) throw new CommandError(`the environment has no variable ${JSON.stringify(name)}`)
    if (value === null && now?.valuesHidden) throw hidden()
    if (value === null) throw new CommandError(`the value of ${JSON.stringify(name)} is damaged on the server`)
    if (given.has("json")) return writeJson({ name, value })
    return writeOut(process.stdout.isTTY ? `${value}\n` : value)
  },
}
