import { isUtf8 } from "node:buffer"
import type { Readable } from "node:stream"
import { limits, sentences } from "@envkeep/contract"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { BoundError } from "../bounds/bound-error.ts"
import { nextTurn } from "../bounds/turns.ts"
import { AppError, invalid } from "../errors.ts"
import { parseForeignJson } from "./foreign-json.ts"

declare module "fastify" {
  interface FastifyContextConfig {
    /** How many elements and members a body may have, if not as many as by default. */
    bodyParts?: number
  }
}

/**
 * Reads JSON bodies. Fastify's own parser repairs a body that is not UTF-8 instead of refusing it, closes the
 * connection on a body over the limit, so that the sender never sees the answer, and refuses an empty body.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("application/json", async (request: FastifyRequest, body: Readable) => {
    const { bodyLimit, config } = request.routeOptions
    const bytes = await readUpTo(bodyLimit, body)
    if (bytes === undefined) throw new BoundError("body_bytes", "too_large", sentences.bodyTooLarge(bodyLimit))
    const { "content-encoding": encoding = "identity" } = request.headers
    if (encoding !== "identity") throw new AppError("wrong_type", sentences.uncompressedOnly)
    if (bytes.length === 0) return undefined
    if (!isUtf8(bytes)) throw invalid(sentences.brokenUtf8)
    return parseBody(bytes, config.bodyParts ?? limits.bodyParts)
  })
  app.addContentTypeParser("*", async (_: unknown, body: Readable) => {
    if ((await readUpTo(0, body)) === undefined) throw new AppError("wrong_type", sentences.jsonOnly)
  })
}

/** How much of a body over the limit is read and dropped before the sender is cut off. */
const maxDroppedBytes = 64 * 1024 * 1024

/** The body, or undefined if it is longer than the limit. Then nothing of it is kept. */
async function readUpTo(limitBytes: number, body: Readable): Promise<Buffer | undefined> {
  let kept: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= limitBytes) kept.push(chunk)
      else kept = []
      if (size > limitBytes + maxDroppedBytes) break
    }
  } catch {
    throw invalid(sentences.badRequest) // the sender has hung up and never sees this
  }
  if (size > limitBytes) return undefined
  // To join, check and parse a long body is long work.
  if (size > limits.bodyBytes) await nextTurn()
  return Buffer.concat(kept)
}

async function parseBody(bytes: Buffer, maxParts: number): Promise<unknown> {
  try {
    return await parseForeignJson(bytes, maxParts)
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(sentences.brokenJson) // its own message quotes the body
    throw error
  }
}
