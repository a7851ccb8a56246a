import { carryOut } from "../changes.ts"
import { type Command, changeOptions } from "../command.ts"
import { readEnvironment } from "../environment.ts"
import { readLocalFile } from "../local-file.ts"
import { CommandError } from "../messages.ts"
import { readNumber } from "../options.ts"
import { findTarget } from "../target.ts"

export const push: Command = {
  name: "push",
  group: "files",
  usage: "[file]",
  summary: "save a .env file into the environment",
  details: [
    "Shows what changes and asks. Variables that are not in the file stay, unless you add --replace. Everything is saved in one revision, or nothing is; only the last variables of an environment are deleted one by one. The file must be in UTF-8.",
    "If the connection is lost while saving, run it again: it compares with the server first, and what was saved already is not saved twice.",
  ],
  options: [
    ...changeOptions,
    { name: "replace", text: "delete variables that are not in the file" },
    { name: "expect-revision", value: "number", text: "only if the environment still has this revision" },
  ],
  words: { min: 0, max: 1, tooMany: "push takes one file" },
  examples: [
    { line: "envkeep push", what: "add and change what .env has" },
    { line: "envkeep push prod.env -e production --replace", what: "make it hold exactly this" },
  ],
  async execute(given) {
    const expected = readNumber("--expect-revision", given.text("expect-revision"))
    const [file = ".env"] = given.words
    const variables = await readLocalFile(file)
    if (variables.length === 0) throw new CommandError(`there is no variable in ${file}`)
    const target = await findTarget(given)
    const environment = await readEnvironment(target)
    if (expected !== undefined && environment.revision !== expected) {
      throw new CommandError(
        `the environment is at revision ${environment.revision}, not ${expected}: nothing was changed`,
        "envkeep history shows who changed it",
      )
    }
    const inFile = new Set(variables.map(({ name }) => name))
    const others = environment.items.filter(({ name }) => !inFile.has(name)).map(({ name }) => name)
    const plan = { set: variables, remove: given.has("replace") ? others : [], isExact: expected !== undefined }
    return carryOut(target, environment, plan, given)
  },
}
