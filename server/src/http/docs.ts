import { calls, openApiDocument } from "@envkeep/contract"
import type { FastifyInstance } from "fastify"
import { docsPage } from "./docs-page.ts"

/** The documentation of the API, for machines and for people. */
export function docsRoutes(app: FastifyInstance): void {
  const json = JSON.stringify(openApiDocument(calls))
  const html = docsPage(calls)
  app.get("/api/openapi.json", (_, reply) => reply.type("application/json; charset=utf-8").send(json))
  app.get("/api/docs", (_, reply) => reply.type("text/html; charset=utf-8").send(html))
}
