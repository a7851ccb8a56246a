import type { Command } from "./command.ts"
import { commands } from "./commands/all.ts"
import { complete } from "./commands/completion.ts"
import { manual, overview } from "./help.ts"
import { CommandError, describeError, printMessage } from "./messages.ts"
import { Misuse, readOptions, refuseKeys } from "./options.ts"
import { writeOut } from "./output.ts"
import { version } from "./version.ts"

// Data goes to standard output, everything else to standard error. Exit code 1 is a failure, 2 a misuse.

// Who reads the messages may end, as in `2>&1 | head`. That is no reason to end a command that runs.
process.stderr.on("error", () => undefined)
void main(process.argv.slice(2))

async function main([name, ...rest]: string[]): Promise<void> {
  try {
    process.exitCode = await execute(name, rest)
  } catch (error) {
    printMessage(describeError(error), error instanceof CommandError ? error.hint : undefined)
    // As with the command diff, 1 says that there are differences.
    process.exitCode = error instanceof Misuse || name === "diff" ? 2 : 1
  }
}

async function execute(name: string | undefined, rest: string[]): Promise<number> {
  refuseKeys(name)
  if (name === undefined) throw new Misuse("no command given")
  if (name === "--version" || name === "-v") return writeOut(`${version}\n`)
  if (name === "--help" || name === "-h") return writeOut(overview())
  if (name === "help") return writeOut(rest[0] === undefined ? overview() : manual(find(rest[0])))
  if (name === "__complete") return complete(commands, rest)
  const command = find(name)
  if (rest[0] === "--help" || rest[0] === "-h") return writeOut(manual(command))
  return command.execute(readOptions(command, rest))
}

function find(name: string): Command {
  const command = commands.find((one) => one.name === name)
  if (command === undefined) throw new Misuse(`there is no command ${JSON.stringify(name)}`)
  return command
}
