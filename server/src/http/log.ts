import type { FastifyInstance, FastifyRequest } from "fastify"
import { type LevelWithSilent, type Logger, pino } from "pino"
import { addressBlock } from "./address.ts"

/** Where log lines go. */
export interface LogStream {
  write(line: string): void
}

/** Writes JSON lines to standard output, or to another stream. */
export function createLog(level: LevelWithSilent, stream?: LogStream): Logger {
  return pino({ level, serializers: { err: describeError } }, stream)
}

/**
 * What the log may contain of an error. A database's message can quote the statement's values, so only its code and its
 * table are kept.
 */
export function describeError(error: Error & { code?: unknown; severity?: unknown; table?: unknown }) {
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  const isDatabase = error.severity !== undefined
  return {
    type: error.name,
    code: error.code,
    message: isDatabase ? `database error in table ${error.table ?? "unknown"}` : error.message,
    stack: frames.join("\n"),
  }
}

/** One line per request, with its route and never its URL, because a URL can contain a secret. */
export function logRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    const { statusCode } = reply
    const line = {
      method: request.method,
      route: request.routeOptions.url ?? "none",
      status: statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      address: addressBlock(request.ip),
    }
    request.log[levelOf(request, statusCode)](line, "request")
  })
}

/** There are thousands of reads by key, files and probes. They matter only when they fail. */
function levelOf(request: FastifyRequest, status: number): "error" | "info" | "debug" {
  if (status >= 500) return "error"
  const route = request.routeOptions.url ?? ""
  return route.startsWith("/api/") && !route.startsWith("/api/v1/") ? "info" : "debug"
}
