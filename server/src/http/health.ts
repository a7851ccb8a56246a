import type { FastifyInstance } from "fastify"
import { withDeadline } from "../db/deadline.ts"

const databaseTimeoutMs = 2_000

interface Health {
  askDatabase(): Promise<unknown>
  isStopping(): boolean
}

/** `/healthz`: the process runs. `/readyz`: it can take traffic, because it reaches its database and is not stopping. */
export function healthRoutes(app: FastifyInstance, { askDatabase, isStopping }: Health): void {
  app.get("/healthz", async () => ({ status: "ok" }))

  app.get("/readyz", async (request, reply) => {
    if (isStopping()) return reply.status(503).send({ status: "unavailable", reason: "The server is stopping" })
    try {
      await withDeadline(askDatabase(), databaseTimeoutMs, () => {
        throw new Error(`the database did not answer within ${databaseTimeoutMs} ms`)
      })
      return { status: "ok" }
    } catch (error) {
      request.log.warn({ err: error }, "not ready")
      return reply.status(503).send({ status: "unavailable", reason: "The database cannot be reached" })
    }
  })
}
