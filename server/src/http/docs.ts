import { calls, openApiDocument } from "@envkeep/contract"
import type { FastifyInstance } from "fastify"
import { docsPage } from "./docs-page.ts"

/** The API's document, for machines and for people, made from the contract once at start. */
export function docsRoutes(app: FastifyInstance): void {
  const document = openApiDocument(calls)
  const json = JSON.stringify(document)
  const html = docsPage(calls)
  app.get("/api/openapi.json", (_, reply) => reply.type("application/json; charset=utf-8").send(json))
  app.get("/api/docs", (_, reply) => reply.type("text/html; charset=utf-8").send(html))
}
