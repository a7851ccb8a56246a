import { type Command, environmentOptions, selectionOptions } from "../command.ts"
import { Misuse } from "../options.ts"
import { runCommand } from "../run-command.ts"
import { loadWithWarnings, readSelection } from "../source.ts"

export const run: Command = {
  name: "run",
  group: "programs",
  usage: "-- command",
  summary: "run a command with the variables",
  details: [
    "The command gets your signals, standard input and output, and its exit code becomes the one of envkeep. Variables that are already set win, unless you add --override.",
    "Works with ENVKEEP_KEY, the API key of one environment, or else with a login.",
  ],
  options: [
    ...environmentOptions,
    ...selectionOptions,
    { name: "watch", text: "restart the command after each change" },
    { name: "override", text: "let them win over variables that are already set" },
  ],
  passesOn: true,
  examples: [
    { line: "envkeep run -- node app.js", what: "start a program" },
    { line: "envkeep run --watch -- node app.js", what: "and restart it after each change" },
  ],
  async execute(given) {
    const [program, ...args] = given.program
    if (!program) throw new Misuse("run needs a command: envkeep run -- command")
    const flags = { watch: given.has("watch"), override: given.has("override") }
    const selection = readSelection(given)
    if (flags.watch && selection.revision !== undefined) {
      throw new Misuse("--watch follows the current revision: leave --revision out")
    }
    return runCommand(await loadWithWarnings(given, selection), { ...flags, program, args })
  },
}
