import { isUtf8 } from "node:buffer"
import type { Readable } from "node:stream"
import { sentences } from "@envkeep/contract"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { AppError, invalid } from "../errors.ts"

/**
 * Reads JSON bodies. Fastify's own parser differs in three ways: it repairs a body that is not UTF-8 instead of refusing
 * it; it closes the connection on a body over the limit, so that the sender never sees the answer; and it refuses an
 * empty body.
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

/** How much more than the limit is read and dropped before the sender is cut off. */
const maxDroppedBytes = 64 * 1024 * 1024

async function readAll(body: Readable, limit: number, overLimit: "refuse" | "drop" = "refuse"): Promise<Buffer> {
  const kept: Buffer[] = []
  let size = 0
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length
      if (size <= limit || kept.length === 0) kept.push(piece)
      if (size > limit + maxDroppedBytes) break
    }
  } catch {
    throw invalid(sentences.badRequest) // the sender hung up, so no one reads this
  }
  if (size > limit && overLimit === "refuse") throw new AppError("too_large", sentences.bodyTooLarge(limit))
  return Buffer.concat(kept)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(sentences.brokenJson) // its own message would quote the body
  }
}
