import { AppError, type ErrorCode } from "../errors.ts"

/** What keeps one caller from taking the server away from the others. These are labels of a metric. */
export const bounds = [
  "body_bytes",
  "body_depth",
  "body_parts",
  "requests_per_minute",
  "waiting",
  "unread_bytes",
  "watchers",
  "quota",
] as const
export type Bound = (typeof bounds)[number]

/** A request that is refused because it exceeds a bound. */
export class BoundError extends AppError {
  readonly bound: Bound

  constructor(bound: Bound, code: ErrorCode, message: string, retryAfterSeconds?: number) {
    super(code, message, retryAfterSeconds)
    this.bound = bound
  }
}
