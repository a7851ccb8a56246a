import type { Variable } from "@envkeep/formats"
import { askHidden, canAsk, readStdin } from "../ask.ts"
import { carryOut } from "../changes.ts"
import { type Command, changeOptions } from "../command.ts"
import { readEnvironment } from "../environment.ts"
import type { Given } from "../given.ts"
import { CommandError } from "../messages.ts"
import { Misuse } from "../options.ts"
import { findTarget } from "../target.ts"

const many = Number.POSITIVE_INFINITY

export const set: Command = {
  name: "set",
  group: "values",
  usage: "NAME | NAME=value...",
  summary: "set variables",
  details: [
    "With a name alone, the value is read from standard input, or typed without being shown, so that it is neither in the arguments nor in the history of the shell. One line break at its end is left out. One line can be typed; a longer value comes from a file.",
    "Shows what changes and asks. All variables are saved in one revision.",
  ],
  options: changeOptions,
  words: { min: 1, max: many, missing: "set needs a name: envkeep set NAME" },
  examples: [
    { line: "envkeep set PORT=8080 LOG_LEVEL=info", what: "what is no secret" },
    { line: "envkeep set API_KEY", what: "typed without being shown" },
    { line: "envkeep set TLS_CERT --yes < cert.pem", what: "from a file" },
  ],
  async execute(given) {
    const variables = await readVariables(given)
    const target = await findTarget(given)
    return carryOut(target, await readEnvironment(target), { set: variables, remove: [] }, given)
  },
}

async function readVariables({ words, has }: Given): Promise<Variable[]> {
  const [first = ""] = words
  if (words.length > 1 || first.includes("=")) return words.map(readAssignment)
  const isTyped = canAsk()
  // The answer to the question would have to come from the same input.
  if (!isTyped && !has("yes"))
    throw new CommandError("the value comes from standard input, so there is no one to ask", "add --yes")
  const value = isTyped ? await askHidden(`Value of ${first}: `) : (await readStdin()).replace(/\r?\n$/, "")
  return [{ name: first, value }]
}

function readAssignment(word: string): Variable {
  const at = word.indexOf("=")
  // The word itself may be a value, so it is not repeated.
  if (at < 1) throw new Misuse("set takes NAME=value, or one NAME whose value it reads from standard input")
  return { name: word.slice(0, at), value: word.slice(at + 1) }
}

export const unset: Command = {
  name: "unset",
  group: "values",
  usage: "NAME...",
  summary: "delete variables",
  details: ["Shows what is deleted and asks. What the environment inherits is not deleted."],
  options: changeOptions,
  words: { min: 1, max: many, missing: "unset needs a name: envkeep unset NAME" },
  examples: [{ line: "envkeep unset OLD_KEY OLD_SECRET", what: "delete two variables" }],
  async execute(given) {
    const target = await findTarget(given)
    const environment = await readEnvironment(target)
    const own = new Set(environment.items.map(({ name }) => name))
    const missing = given.words.filter((name) => !own.has(name)).map((name) => JSON.stringify(name))
    if (missing.length > 0) throw new CommandError(`the environment does not set ${missing.join(", ")} itself`)
    return carryOut(target, environment, { set: [], remove: given.words }, given)
  },
}
