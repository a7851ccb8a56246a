import { type Call, openApiInSteps } from "@envkeep/contract"
import type { FastifyInstance } from "fastify"
import { runInPieces } from "../bounds/turns.ts"
import { docsPageInSteps } from "./docs-page.ts"

type Calls = Record<string, Record<string, Call>>

/** The documentation of the API, for machines and for people. */
export function docsRoutes(app: FastifyInstance, calls: Calls): void {
  const json = madeOnce(async () => JSON.stringify(await runInPieces(openApiInSteps(calls))))
  const html = madeOnce(() => runInPieces(docsPageInSteps(calls)))
  app.get("/api/openapi.json", async (_, reply) => reply.type("application/json; charset=utf-8").send(await json()))
  app.get("/api/docs", async (_, reply) => reply.type("text/html; charset=utf-8").send(await html()))
}

/**
 * Made for the first who asks, because it takes longer than anything else at a start, and most never do. As bytes, because
 * text would be encoded for every reader, and kept until a slow one has read it.
 */
function madeOnce(make: () => Promise<string>): () => Promise<Buffer> {
  let made: Promise<Buffer> | undefined
  return () => {
    made ??= make().then((text) => Buffer.from(text))
    return made
  }
}
