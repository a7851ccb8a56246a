import { openBrowser } from "../browser.ts"
import { type Command, environmentOptions } from "../command.ts"
import { writeOut } from "../output.ts"
import { findTarget } from "../target.ts"

export const open: Command = {
  name: "open",
  group: "tools",
  usage: "",
  summary: "open the environment's page in the browser",
  details: ["Prints the address too, for machines without a browser."],
  options: environmentOptions,
  examples: [{ line: "envkeep open -e production", what: "look at it" }],
  async execute(given) {
    const { url, collection, environment } = await findTarget(given)
    const address = `${url}/collection/${collection.id}?env=${environment.id}`
    await openBrowser(address)
    return writeOut(`${address}\n`)
  },
}
