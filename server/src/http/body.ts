import { isUtf8 } from "node:buffer"
import type { Readable } from "node:stream"
import { sentences } from "@envkeep/contract"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { AppError, invalid } from "../errors.ts"

/**
 * Reads JSON bodies. Fastify's own parser repairs a body that is not UTF-8 instead of refusing it, closes the
 * connection on a body over the limit, so that the sender never sees the answer, and refuses an empty body.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("application/json", async (request: FastifyRequest, body: Readable) => {
    const bytes = await readAll(body, request.routeOptions.bodyLimit)
    const { "content-encoding": encoding = "identity" } = request.headers
    if (encoding !== "identity") throw new AppError("wrong_type", sentences.uncompressedOnly)
    if (bytes.length === 0) return undefined
    if (!isUtf8(bytes)) throw invalid(sentences.brokenUtf8)
    return parseJson(bytes.toString("utf8"))
  })
  app.addContentTypeParser("*", async (_: unknown, body: Readable) => {
    if ((await readAll(body, 0, "drop")).length === 0) return undefined
    throw new AppError("wrong_type", sentences.jsonOnly)
  })
}

/** How much of a body over the limit is read and dropped before the sender is cut off. */
const maxDroppedBytes = 64 * 1024 * 1024

async function readAll(body: Readable, limitBytes: number, overLimit: "refuse" | "drop" = "refuse"): Promise<Buffer> {
  const kept: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= limitBytes || kept.length === 0) kept.push(chunk)
      if (size > limitBytes + maxDroppedBytes) break
    }
  } catch {
    throw invalid(sentences.badRequest) // the sender has hung up and never sees this
  }
  if (size > limitBytes && overLimit === "refuse") throw new AppError("too_large", sentences.bodyTooLarge(limitBytes))
  return Buffer.concat(kept)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(sentences.brokenJson) // the parser's own message quotes the body
  }
}
