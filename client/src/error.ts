/**
 * `no_url`, `no_key`: no server or no key was given. `bad_key`: mistyped, deleted or unknown to the server.
 * `bad_option`: another setting that makes no sense.
 * `unreachable`, `timeout`: no answer, or not in time. `server`: an answer that cannot be used.
 * `refused_format`: the format cannot hold a variable.
 */
export type ErrorCode =
  | "no_url"
  | "no_key"
  | "bad_key"
  | "bad_option"
  | "unreachable"
  | "timeout"
  | "server"
  | "refused_format"

/** A failure with a code for programs and a sentence for people. Neither contains a value or the key. */
export class EnvkeepError extends Error {
  readonly code: ErrorCode

  // Set explicitly because the build renames classes, and here because the first line of the stack shows the name.
  static {
    Object.defineProperty(EnvkeepError, "name", { value: "EnvkeepError" })
    EnvkeepError.prototype.name = "EnvkeepError"
  }

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export function badKey(): EnvkeepError {
  return new EnvkeepError("bad_key", "The API key is not valid: it was deleted or is from another server")
}

export function notEnvkeep(url: string): EnvkeepError {
  return new EnvkeepError("server", `${url} is not an Envkeep server`)
}
