/** Exit codes as sysexits.h names them, so that supervisors can tell a wrong setting from a temporary fault. */
export const exitCodes = {
  failure: 1,
  misuse: 2,
  /** The database or the port is not available. */
  unavailable: 69,
  /** The data folder cannot be written. */
  cannotWrite: 73,
  /** The file of the embedded store is damaged. */
  damaged: 74,
  /** A wrong setting, a wrong root key, or a store of another version. */
  configuration: 78,
} as const

/** A reason not to start that a person can do something about: one sentence and an exit code. */
export class StartError extends Error {
  override name = "StartError"
  readonly exitCode: number

  constructor(exitCode: number, sentence: string) {
    super(sentence)
    this.exitCode = exitCode
  }
}
