import { type Command, help, Misuse, readArguments, type Selection } from "./arguments.ts"
import { check, type Env, load } from "./index.ts"
import { CommandError, describeError, printMessage } from "./messages.ts"
import { runCommand } from "./run-command.ts"
import { saveFile } from "./save-file.ts"
import { version } from "./version.ts"

// Data goes to standard output, everything else to standard error. Exit code 1 is a failure, 2 a misuse.

void main()

async function main(): Promise<void> {
  try {
    process.exitCode = await execute(readArguments(process.argv.slice(2)))
  } catch (error) {
    printMessage(describeError(error), error instanceof CommandError ? error.hint : undefined)
    process.exitCode = error instanceof Misuse ? 2 : 1
  }
}

async function execute(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      return writeOut(help)
    case "version":
      return writeOut(`${version}\n`)
    case "check": {
      const { name, environment, collection, revision } = await check()
      return writeOut(
        `${printable(collection)}/${printable(environment)}, revision ${revision}, by the key ${printable(name)}\n`,
      )
    }
    case "print":
      return writeOut(lines((await loadWithWarnings(command)).text(command.format, command.secret)))
    case "save":
      await saveFile(await loadWithWarnings(command), command.file, command)
      return 0
    case "run":
      return runCommand(await loadWithWarnings(command), command)
  }
}

async function loadWithWarnings({ only, except, revision }: Selection): Promise<Env> {
  const env = await load({ only, except, revision })
  if (env.source === "cache") printMessage("the server cannot be reached: using the last good values")
  if (env.damaged.length > 0) printMessage(`left out, damaged on the server: ${env.damaged.map(printable).join(", ")}`)
  return env
}

/** JSON has no line break at its end, after which a terminal would show its prompt. */
function lines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`
}

/** Resolves when everything is written, so that a pipe gets all of it. A reader that closes the pipe early is not a failure. */
function writeOut(text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    process.stdout.on("error", (error: NodeJS.ErrnoException) => (error.code === "EPIPE" ? resolve(0) : reject(error)))
    process.stdout.write(text, () => resolve(0))
  })
}

/** Names are untrusted text: control characters could take over the terminal. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, "?")
}
