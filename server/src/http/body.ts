import { isUtf8 } from "node:buffer"
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
  app.addContentTypeParser("application/json", async (request: FastifyRequest) => {
    const { bodyLimit, config } = request.routeOptions
    const bytes = await readUpTo(bodyLimit, request)
    if (bytes === undefined) throw new BoundError("body_bytes", "too_large", sentences.bodyTooLarge(bodyLimit))
    const { "content-encoding": encoding = "identity" } = request.headers
    if (encoding !== "identity") throw new AppError("wrong_type", sentences.uncompressedOnly)
    if (bytes.length === 0) return undefined
    if (!isUtf8(bytes)) throw invalid(sentences.brokenUtf8)
    return parseBody(bytes, config.bodyParts ?? limits.bodyParts)
  })
  app.addContentTypeParser("*", async (request: FastifyRequest) => {
    if ((await readUpTo(0, request)) === undefined) throw new AppError("wrong_type", sentences.jsonOnly)
  })
}

/** How much of a body over the limit is read and dropped before the sender is cut off. */
const maxDroppedBytes = 64 * 1024 * 1024

/** The body, or undefined if it is longer than the limit. Then nothing of it is kept. */
async function readUpTo(limitBytes: number, { headers, raw }: FastifyRequest): Promise<Buffer | undefined> {
  // Node knows from the headers that there is none.
  if (raw.readableEnded) return Buffer.alloc(0)
  const announcedBytes = Number(headers["content-length"] ?? 0)
  let kept: Buffer | undefined = announcedBytes > limitBytes ? undefined : Buffer.allocUnsafe(announcedBytes)
  let size = 0
  await new Promise<void>((resolve, reject) => {
    // The sender has hung up, or is cut off, and never sees this.
    const fail = () => reject(invalid(sentences.badRequest))
    // After every request, also a complete one.
    raw.on("close", () => raw.readableEnded || fail())
    raw.on("error", fail)
    raw.on("end", resolve)
    raw.on("data", (chunk: Buffer) => {
      kept = size + chunk.length > limitBytes ? undefined : kept && append(kept, size, chunk)
      size += chunk.length
      if (size > limitBytes + maxDroppedBytes) raw.destroy()
    })
  })
  // To check and parse a long body is long work.
  if (size > limits.bodyBytes) await nextTurn()
  return kept?.subarray(0, size)
}

/** Copied, because a body can come in very many chunks, and each of them takes more memory than its bytes. */
function append(kept: Buffer, size: number, chunk: Buffer): Buffer {
  const needed = size + chunk.length
  const target = needed <= kept.length ? kept : Buffer.allocUnsafe(Math.max(needed, 2 * kept.length))
  if (target !== kept) kept.copy(target, 0, 0, size)
  chunk.copy(target, size)
  return target
}

async function parseBody(bytes: Buffer, maxParts: number): Promise<unknown> {
  try {
    return await parseForeignJson(bytes, maxParts)
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(sentences.brokenJson) // its own message quotes the body
    throw error
  }
}
