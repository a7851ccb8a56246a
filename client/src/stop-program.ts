import { writeSync } from "node:fs"
import { describeOwnError } from "./messages.ts"
import { safeMessage } from "./safe-message.ts"

/** Ends a program that cannot have its variables, with one line. An error would also show the source of this package. */
export function stopProgram(error: unknown): never {
  // At once, because nothing that is still to be written survives the exit.
  writeSync(process.stderr.fd, `envkeep: ${safeMessage(describeOwnError(error))}\n`)
  process.exit(1)
}
