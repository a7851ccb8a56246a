import type { FastifyInstance } from "fastify"
import { withDeadline } from "../db/deadline.ts"

const databaseTimeoutMs = 2_000

interface Health {
  /** Asks the database whether this server has its root key. */
  hasRightRootKey(): Promise<boolean>
  isStopping(): boolean
}

/**
 * `/healthz`: the process runs. `/readyz`: it can take traffic, because it reaches its database, can open what is in it,
 * and is not stopping.
 */
export function healthRoutes(app: FastifyInstance, { hasRightRootKey, isStopping }: Health): void {
  app.get("/healthz", async () => ({ status: "ok" }))

  app.get("/readyz", async (request, reply) => {
    const unavailable = (reason: string) => reply.status(503).send({ status: "unavailable", reason })
    if (isStopping()) return unavailable("The server is stopping")
    try {
      const isRight = await withDeadline(hasRightRootKey(), databaseTimeoutMs, () => {
        throw new Error(`the database did not answer within ${databaseTimeoutMs} ms`)
      })
      if (isRight) return { status: "ok" }
      request.log.warn("not ready: the root key does not match the database")
      return unavailable("The root key does not match the database")
    } catch (error) {
      request.log.warn({ err: error }, "not ready")
      return unavailable("The database cannot be reached")
    }
  })
}
