import { type Call, openApiDocument } from "@envkeep/contract"
import type { FastifyInstance } from "fastify"
import { docsPage } from "./docs-page.ts"

type Calls = Record<string, Record<string, Call>>

/** The documentation of the API, for machines and for people. */
export function docsRoutes(app: FastifyInstance, calls: Calls): void {
  const { json, html } = documentsOf(calls)
  app.get("/api/openapi.json", (_, reply) => reply.type("application/json; charset=utf-8").send(json))
  app.get("/api/docs", (_, reply) => reply.type("text/html; charset=utf-8").send(html))
}

interface Documents {
  json: Buffer
  html: Buffer
}

const made = new WeakMap<Calls, Documents>()

/**
 * Made once for a process, before it serves: making them takes long enough to delay a request. As bytes, because text would
 * be encoded for every reader, and kept until a slow one has read it.
 */
function documentsOf(calls: Calls): Documents {
  const documents = made.get(calls) ?? {
    json: Buffer.from(JSON.stringify(openApiDocument(calls))),
    html: Buffer.from(docsPage(calls)),
  }
  made.set(calls, documents)
  return documents
}
