import { EnvkeepError } from "./index.ts"
import { withoutKeys } from "./without-keys.ts"

export function printMessage(message: string, hint?: string): void {
  process.stderr.write(`envkeep: ${withoutKeys(message)}\n${hint === undefined ? "" : `hint: ${hint}\n`}`)
}

/** One line for any failure. A bug of ours keeps its stack. */
export function describeError(error: unknown): string {
  if (error instanceof EnvkeepError) return error.message.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())
  const { code, path, syscall, message, stack } = error as NodeJS.ErrnoException
  if (code !== undefined && syscall !== undefined) return `cannot ${syscall} ${path ?? ""}: ${reasons[code] ?? code}`
  return error instanceof Error && error.name !== "Misuse" ? (stack ?? message) : message
}

const reasons: Record<string, string> = {
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOENT: "no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "part of the path is not a folder",
  EROFS: "the disk is read-only",
}
