import { type Envelope, sentences } from "@envkeep/contract"
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify"
import { isOrphan, isTransient, isUnreachable, isUnwritable } from "../db/faults.ts"
import { OutcomeUnknownError } from "../db/transaction.ts"
import { AppError, type ErrorCode } from "../errors.ts"

const statusOf: Record<ErrorCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  wrong_type: 415,
  unprocessable: 422,
  too_many: 429,
  unavailable: 503,
}

export const failure = (msg: string): Envelope<null> => ({ error: true, msg, data: null })

/** Answers what was thrown. Only an AppError's words are for the caller; the rest is our fault and stays in the log. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const told = error instanceof AppError ? error : tellable(error)
  if (told === undefined) {
    request.log.error({ err: error }, "unexpected error")
    reply.status(500).send(failure(sentences.ourFault))
    return
  }
  if (told.code === "unavailable") request.log.error({ err: error }, "the database failed")
  if (told.retryAfter !== undefined) reply.header("retry-after", told.retryAfter)
  reply.status(statusOf[told.code]).send(failure(told.message))
}

/** What others throw that a caller can do something about. */
function tellable(error: FastifyError | Error): AppError | undefined {
  if (error instanceof OutcomeUnknownError) return new AppError("unavailable", sentences.outcomeUnknown)
  if (isUnwritable(error)) return new AppError("unavailable", sentences.diskFull)
  if (isUnreachable(error)) return new AppError("unavailable", sentences.databaseAway)
  if (isTransient(error)) return new AppError("unavailable", sentences.tooBusy, 1)
  // What the write belonged to was deleted at the same moment.
  if (isOrphan(error)) return new AppError("not_found", sentences.goneMeanwhile)
  if (!("statusCode" in error) || error.statusCode === undefined || error.statusCode >= 500) return undefined
  if (error.code === "FST_ERR_BAD_URL") return new AppError("invalid", sentences.badAddress)
  if (error.statusCode === 415) return new AppError("wrong_type", sentences.jsonOnly)
  return new AppError("invalid", sentences.badRequest)
}
