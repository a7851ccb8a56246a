import { isUtf8 } from "node:buffer"
import type { Readable } from "node:stream"
import { sentences } from "@envkeep/contract"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { AppError, invalid } from "../errors.ts"

/**
 * Reads JSON bodies. Not Fastify's own reader, for three reasons: a body that is not UTF-8 must be refused, not mended;
 * a body over the limit is read to its end and dropped, so that its sender gets to see the answer instead of a broken
 * connection; and an empty body is no body.
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
const patience = 64 * 1024 * 1024

async function readAll(body: Readable, limit: number, overLimit: "refuse" | "drop" = "refuse"): Promise<Buffer> {
  const kept: Buffer[] = []
  let size = 0
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length
      if (size <= limit || kept.length === 0) kept.push(piece)
      if (size > limit + patience) break
    }
  } catch {
    throw invalid(sentences.badRequest) // the sender hung up; nobody reads this
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
