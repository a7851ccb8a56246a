import { canAsk, choose, confirm } from "../ask.ts"
import { type Command, environmentOptions } from "../command.ts"
import type { Given } from "../given.ts"
import { CommandError, printMessage } from "../messages.ts"
import { Misuse } from "../options.ts"
import { printable } from "../output.ts"
import { hasProjectFile, projectFile } from "../project.ts"
import { type CollectionSummary, findEnvironment, findSession, listCollections } from "../target.ts"
import { writeProject } from "../write-project.ts"

export const init: Command = {
  name: "init",
  group: "account",
  usage: "",
  summary: `write ${projectFile}: which environment this folder uses`,
  details: [
    "Asks for the collection and the environment, or takes them as options. The other commands look for the file in the current folder and the folders above it. It holds no secret, so it can be committed.",
  ],
  options: [...environmentOptions, { name: "yes", short: "y", text: "replace the file without asking" }],
  examples: [
    { line: "envkeep init", what: "choose from a list" },
    { line: "envkeep init -c app -e development", what: "without questions" },
  ],
  execute: initialise,
}

async function initialise(asked: Given): Promise<number> {
  const given: Given = { ...asked, replacesProject: true }
  const session = await findSession(given)
  const isGiven = given.text("collection") !== undefined && given.text("environment") !== undefined
  const { collection, environment } = isGiven
    ? await findEnvironment(session, given)
    : await chooseEnvironment(await listCollections(session))
  if (hasProjectFile() && !(await confirm(`Replace ${projectFile}?`, given.has("yes")))) return 1
  await writeProject({
    server: session.url,
    collection: { id: collection.id, name: collection.name },
    environment: { id: environment.id, name: environment.name },
  })
  printMessage(`wrote ${projectFile}: ${printable(collection.name)}/${printable(environment.name)} of ${session.url}`)
  return 0
}

async function chooseEnvironment(all: CollectionSummary[]) {
  if (!canAsk()) throw new Misuse("init needs --collection and --environment without a terminal")
  const collection = await chooseOne("Which collection?", all)
  const environment = await chooseOne("Which environment?", collection.subCollections)
  return { collection, environment }
}

async function chooseOne<One extends { name: string }>(question: string, all: readonly One[]): Promise<One> {
  const found =
    all[
      await choose(
        question,
        all.map(({ name }) => printable(name)),
      )
    ]
  if (found === undefined) throw new CommandError("there is nothing to choose from", "create one in the browser first")
  return found
}
