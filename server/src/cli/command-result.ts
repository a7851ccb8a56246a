/** What a command prints, and the exit code it ends with. */
export interface CommandResult {
  exitCode: number
  /** For standard output: what was asked for. */
  out: string[]
  /** For standard error: everything else. */
  err: string[]
}

export function success(out: string[], err: string[] = []): CommandResult {
  return { exitCode: 0, out, err }
}
