import type { Call } from "@envkeep/contract"
import type { FastifyInstance } from "fastify"
import { runInPieces } from "../bounds/turns.ts"

type Calls = Record<string, Record<string, Call>>

/** The documentation of the API, for machines and for people. */
export function docsRoutes(app: FastifyInstance, calls: Calls): void {
  const json = madeOnce(async () => {
    const { openApiInSteps } = await import("@envkeep/contract/openapi.ts")
    return JSON.stringify(await runInPieces(openApiInSteps(calls)))
  })
  const html = madeOnce(async () => {
    const { docsPageInSteps } = await import("./docs-page.ts")
    return runInPieces(docsPageInSteps(calls))
  })
  app.get("/api/openapi.json", async (_, reply) => reply.type("application/json; charset=utf-8").send(await json()))
  app.get("/api/docs", async (_, reply) => reply.type("text/html; charset=utf-8").send(await html()))
}

/**
 * Loaded and made for the first who asks, because it takes longer than anything else at a start, and most never do. A failure
 * is not kept. As bytes, because text would be encoded for every reader, and kept until a slow one has read it.
 */
function madeOnce(make: () => Promise<string>): () => Promise<Buffer> {
  let made: Promise<Buffer> | undefined
  return () => {
    made ??= make()
      .then((text) => Buffer.from(text))
      .catch((error: unknown) => {
        made = undefined
        throw error
      })
    return made
  }
}
