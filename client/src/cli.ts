import { type Command, help, Misuse, readArguments, version } from "./arguments.ts"
import { check, type Env, load } from "./index.ts"
import { runCommand } from "./run-command.ts"
import { complain, describe } from "./voice.ts"

// Data goes to standard output, everything else to standard error. 1 is a failure, 2 a misuse.

void main()

async function main(): Promise<void> {
  try {
    process.exitCode = await obey(readArguments(process.argv.slice(2)))
  } catch (error) {
    complain(describe(error), error instanceof Misuse ? "envkeep --help shows what there is" : undefined)
    process.exitCode = error instanceof Misuse ? 2 : 1
  }
}

async function obey(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      return out(help)
    case "version":
      return out(`${version}\n`)
    case "check": {
      const { name, environment, collection, revision } = await check()
      return out(
        `${printable(collection)}/${printable(environment)}, revision ${revision}, by the key ${printable(name)}\n`,
      )
    }
    case "print":
      return out((await loadAloud()).text(command.format))
    case "save":
      await (await loadAloud()).save(command.file, { format: command.format })
      return 0
    case "run":
      return runCommand(await loadAloud(), command)
  }
}

/** A success, but not a whole one, is not passed over in silence. */
async function loadAloud(): Promise<Env> {
  const env = await load()
  if (env.source === "cache") complain("the server cannot be reached: using the last good values")
  if (env.damaged.length > 0) complain(`left out, damaged on the server: ${env.damaged.map(printable).join(", ")}`)
  return env
}

/** Resolves when all is written, so that nothing is cut off in a pipe. A reader that has had enough is no failure. */
function out(text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    process.stdout.on("error", (error: NodeJS.ErrnoException) => (error.code === "EPIPE" ? resolve(0) : reject(error)))
    process.stdout.write(text, () => resolve(0))
  })
}

/** Names are anybody's text: they leave a terminal alone. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, "?")
}
