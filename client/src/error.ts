/**
 * `no_url`, `no_key`: nothing says where to read or with which key. `bad_key`: mistyped, deleted or never made.
 * `unreachable`, `timeout`: no answer, or not in time. `server`: an answer that is no answer.
 * `refused_format`: the format cannot hold a variable.
 */
export type ErrorCode = "no_url" | "no_key" | "bad_key" | "unreachable" | "timeout" | "server" | "refused_format"

/** A failure with a code for programs and a sentence for people. Neither holds a value or the key. */
export class EnvkeepError extends Error {
  readonly code: ErrorCode

  // Both said aloud, since the build gives classes other names, and early enough for the stack's first line.
  static {
    Object.defineProperty(EnvkeepError, "name", { value: "EnvkeepError" })
    EnvkeepError.prototype.name = "EnvkeepError"
  }

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
