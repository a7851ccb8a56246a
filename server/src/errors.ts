import { type ConfirmNeeded, type Conflicts, type Heirs, type SecondFactorNeeded, sentences } from "@envkeep/contract"
import { isDuplicate } from "./db/faults.ts"

export type ErrorCode =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "too_large"
  | "wrong_type"
  | "unprocessable"
  | "too_many"
  | "unavailable"

/** What stands in the way of a change, or what is missing. */
export type RefusalData = Conflicts | Heirs | SecondFactorNeeded | ConfirmNeeded

/** A failure the caller is meant to read. Anything else thrown is a bug: logged, and answered without details. */
export class AppError extends Error {
  override name = "AppError"
  readonly code: ErrorCode
  /** When the caller should try again. */
  readonly retryAfterSeconds: number | undefined
  /** What the answer's data says. */
  readonly data: RefusalData | null

  constructor(code: ErrorCode, message: string, retryAfterSeconds?: number, data: RefusalData | null = null) {
    super(message)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
    this.data = data
  }
}

export const invalid = (sentence: string) => new AppError("invalid", sentence)
export const conflict = (sentence: string, data: RefusalData | null = null) =>
  new AppError("conflict", sentence, undefined, data)
export const notFound = (what: Parameters<typeof sentences.notFound>[0]) =>
  new AppError("not_found", sentences.notFound(what))

/** Runs a write that needs a unique name, and refuses with the sentence if the name is taken. */
export async function unlessTaken<Result>(sentence: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (isDuplicate(error)) throw conflict(sentence)
    throw error
  }
}
