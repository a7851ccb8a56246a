import { type Envelope, sentences } from "@envkeep/contract"
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify"
import { BoundError } from "../bounds/bound-error.ts"
import {
  isDamagedFile,
  isOrphan,
  isSyncFailed,
  isTransient,
  isUnreachable,
  isUnwritable,
  OutcomeUnknownError,
} from "../db/faults.ts"
import { AppError, type ErrorCode, type RefusalData } from "../errors.ts"

const statusOf: Record<ErrorCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  gone: 410,
  conflict: 409,
  too_large: 413,
  wrong_type: 415,
  unprocessable: 422,
  too_many: 429,
  unavailable: 503,
}

export const failure = (msg: string, data: RefusalData | null = null): Envelope => ({ error: true, msg, data })

/** Only the message of an AppError is for the caller. Any other error is our fault and stays in the log. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const appError = error instanceof AppError ? error : asAppError(error)
  if (appError === undefined) {
    request.log.error({ err: error }, "unexpected error")
    reply.status(500).send(failure(sentences.ourFault))
    return
  }
  const { code, retryAfterSeconds, message, data } = appError
  if (code === "unavailable" && !(appError instanceof BoundError))
    request.log.error({ err: error }, "the database failed")
  if (retryAfterSeconds !== undefined) reply.header("retry-after", retryAfterSeconds)
  reply.status(statusOf[code]).send(failure(message, data))
}

/** Errors of the database and of Fastify that a caller can do something about. */
function asAppError(error: FastifyError | Error): AppError | undefined {
  if (error instanceof OutcomeUnknownError) return new AppError("unavailable", sentences.outcomeUnknown)
  if (isSyncFailed(error)) return new AppError("unavailable", sentences.savedUnknown)
  if (isDamagedFile(error)) return new AppError("unavailable", sentences.diskUnreadable)
  if (isUnwritable(error)) return new AppError("unavailable", sentences.diskFull)
  if (isUnreachable(error)) return new AppError("unavailable", sentences.databaseAway)
  if (isTransient(error)) return new AppError("unavailable", sentences.tooBusy, 1)
  // The parent of what was written was deleted at the same moment.
  if (isOrphan(error)) return new AppError("not_found", sentences.goneMeanwhile)
  if (!("statusCode" in error) || error.statusCode === undefined || error.statusCode >= 500) return undefined
  if (error.code === "FST_ERR_BAD_URL") return new AppError("invalid", sentences.badAddress)
  if (error.statusCode === 415) return new AppError("wrong_type", sentences.jsonOnly)
  return new AppError("invalid", sentences.badRequest)
}
