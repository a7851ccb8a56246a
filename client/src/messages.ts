import { safeMessage } from "./safe-message.ts"

/** A failure of the command that people are meant to read, and what they can do about it. */
export class CommandError extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

export function printMessage(message: string, hint?: string): void {
  process.stderr.write(safeMessage(`envkeep: ${message}\n${hint === undefined ? "" : `hint: ${hint}\n`}`))
}

/** One line for any failure. A bug of ours keeps its stack. */
export function describeError(error: unknown): string {
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return describeOwnError(error)
  return `cannot ${syscall} ${path ?? ""}: ${describeCode(code)}`
}

/** The same for what the library throws, which turns failures of the system into its own. */
export function describeOwnError(error: unknown): string {
  const { name, message, stack } = error as Error
  // By name: the library that a key is used with has the class a second time. Only a CommandError has a hint, or could.
  if (name !== "EnvkeepError" && !("hint" in (error as object))) return stack ?? message
  return message.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())
}

/** What an error code of the system means. */
export function describeCode(code: string): string {
  return reasons[code] ?? code
}

const reasons: Record<string, string> = {
  EACCES: "permission denied",
  EFBIG: "the file would be too large",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "part of the path is not a folder",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
}
