import { fitsKind } from "@envkeep/formats"
import { placeOf } from "../changes.ts"
import { type Command, environmentOptions, jsonOption } from "../command.ts"
import { readDescribed } from "../described.ts"
import { allOf, readEnvironment } from "../environment.ts"
import type { Given } from "../given.ts"
import { CommandError, printMessage } from "../messages.ts"
import { printable, writeJson, writeOut } from "../output.ts"
import { hasKey } from "../source.ts"
import { findTarget, serverOption } from "../target.ts"

export const check: Command = {
  name: "check",
  group: "tools",
  usage: "",
  summary: "show what the key or login reads; --strict checks the values",
  details: [
    "With --strict, the exit code is 1 if a required name is missing or empty, or if a value does not fit the kind that its description says. That needs a login or ENVKEEP_TOKEN, because a key sees no descriptions. With the scope names, values are not checked.",
  ],
  options: [...environmentOptions, { name: "strict", text: "compare the values with the descriptions" }, jsonOption],
  examples: [{ line: "envkeep check --strict -e production", what: "before a deployment" }],
  async execute(given) {
    if (given.has("strict")) return checkStrictly(given)
    if (!hasKey(given)) return checkLogin(given)
    const library = await import("../index.ts")
    const { name, environment, collection, revision } = await library.check({ url: serverOption(given) })
    if (given.has("json")) return writeJson({ collection, environment, revision, key: name })
    const place = `${printable(collection)}/${printable(environment)}`
    return writeOut(`${place}, revision ${revision}, by the key ${printable(name)}\n`)
  },
}

async function checkLogin(given: Given): Promise<number> {
  const target = await findTarget(given)
  const { collection, environment, url } = target
  const { revision } = environment
  if (given.has("json")) {
    return writeJson({ collection: collection.name, environment: environment.name, revision, server: url })
  }
  return writeOut(`${placeOf(target)}, revision ${revision}, by the login at ${url}\n`)
}

interface Fault {
  name: string
  fault: "missing" | "empty" | "kind"
  text: string
}

async function checkStrictly(given: Given): Promise<number> {
  if (process.env["ENVKEEP_KEY"] && given.text("environment") === undefined && !process.env["ENVKEEP_TOKEN"]) {
    throw new CommandError(
      "check --strict needs a login: a key sees no descriptions",
      "unset ENVKEEP_KEY, or set ENVKEEP_TOKEN",
    )
  }
  const target = await findTarget(given)
  const environment = await readEnvironment(target)
  const values = allOf(environment)
  const faults: Fault[] = []
  for (const { name, isRequired, kind, choices } of await readDescribed(target)) {
    const value = values.get(name)
    if (value === undefined) {
      if (isRequired) faults.push({ name, fault: "missing", text: "is required, and missing" })
    } else if (value === "") {
      if (isRequired) faults.push({ name, fault: "empty", text: "is required, and empty" })
    } else if (value !== null && !fitsKind({ kind, choices }, value)) {
      const wanted = kind === "choice" ? `one of ${choices.map(printable).join(", ")}` : `of the kind ${kind}`
      faults.push({ name, fault: "kind", text: `is not ${wanted}` })
    }
  }
  if (environment.valuesHidden) printMessage("this login sees no values, so only the names were checked")
  if (given.has("json")) await writeJson(faults.map(({ name, fault }) => ({ name, fault })))
  else await writeOut(faults.map(({ name, text }) => `${printable(name)} ${text}\n`).join(""))
  return faults.length === 0 ? 0 : 1
}
