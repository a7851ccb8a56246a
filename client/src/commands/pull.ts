import { placeOf } from "../changes.ts"
import { type Command, environmentOptions, printingOptions } from "../command.ts"
import { printMessage } from "../messages.ts"
import { fileToSave, saveFile } from "../save-file.ts"
import { envOf, readPrinting, readSelection, warnOfDamaged } from "../source.ts"
import { findTarget } from "../target.ts"

export const pull: Command = {
  name: "pull",
  group: "files",
  usage: "[file]",
  summary: "write the environment to a file, .env by default",
  details: [
    "Like save, but always by your login, and it says what it wrote. Any format but dotenv needs the name of a file. If the disk is full, the old file stays as it is.",
  ],
  options: [
    ...environmentOptions,
    ...printingOptions,
    { name: "force", text: "replace a file that envkeep did not write" },
  ],
  words: { min: 0, max: 1, tooMany: "pull takes one file" },
  examples: [{ line: "envkeep pull -e development", what: "get a .env file to work with" }],
  async execute(given) {
    const [selection, printing] = [readSelection(given), readPrinting(given)]
    const file = fileToSave(given, printing.format)
    const target = await findTarget(given)
    const env = await envOf(target, selection)
    warnOfDamaged(env)
    await saveFile(env, file, { ...printing, force: given.has("force") })
    const count = env.variables.length === 1 ? "1 variable" : `${env.variables.length} variables`
    printMessage(`wrote ${count} of ${placeOf(target)}, revision ${env.revision}, to ${file}`)
    return 0
  },
}
