import { isUtf8 } from "node:buffer"
import { limits, sentences } from "@envkeep/contract"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { BoundError } from "../bounds/bound-error.ts"
import { createTurns, nextTurn } from "../bounds/turns.ts"
import { AppError, invalid } from "../errors.ts"
import { addressBlock } from "./address.ts"
import { dropping } from "./dropped-bodies.ts"
import { parseForeignJson } from "./foreign-json.ts"
import type { Lanes } from "./lanes.ts"

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
export function readJsonBodies(app: FastifyInstance, lanes: Pick<Lanes, "begin">): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("application/json", async (request: FastifyRequest) => {
    const { bodyLimit, config } = request.routeOptions
    const bytes = await readInLane(lanes, bodyLimit, request)
    if (bytes === undefined) throw new BoundError("body_bytes", "too_large", sentences.bodyTooLarge(bodyLimit))
    const { "content-encoding": encoding = "identity" } = request.headers
    if (encoding !== "identity") throw new AppError("wrong_type", sentences.uncompressedOnly)
    if (bytes.length === 0) return undefined
    if (!isUtf8(bytes)) throw invalid(sentences.brokenUtf8)
    return parseBody(bytes, config.bodyParts ?? limits.bodyParts)
  })
  app.addContentTypeParser("*", async (request: FastifyRequest) => {
    if ((await readInLane(lanes, 0, request)) === undefined) throw new AppError("wrong_type", sentences.jsonOnly)
  })
}

/**
 * A request began in a turn of its own, but thousands that have waited for the ends of their bodies since can get them in
 * the same moment. So what comes later than its head takes a turn once more.
 */
async function readInLane(
  lanes: Pick<Lanes, "begin">,
  limitBytes: number,
  request: FastifyRequest,
): Promise<Buffer | undefined> {
  const isLate = !request.raw.complete
  const bytes = await readUpTo(limitBytes, request)
  if (isLate) {
    await new Promise<void>((resolve) => lanes.begin(request.raw, () => addressBlock(request.ip), resolve))
  }
  return bytes
}

/** Thousands of senders can hang up in the same moment. To refuse what they have not sent takes a turn for each of them. */
const refusals = createTurns()

/** How much of a body over the limit is read and dropped before the sender is cut off. */
const maxDroppedBytes = 64 * 1024 * 1024

/** The body, or undefined if it is longer than the limit. Then nothing of it is kept. */
async function readUpTo(limitBytes: number, { headers, raw }: FastifyRequest): Promise<Buffer | undefined> {
  // Node knows from the headers that there is none.
  if (raw.readableEnded) return Buffer.alloc(0)
  const announcedBytes = Number(headers["content-length"] ?? 0)
  let kept: Buffer | undefined = announcedBytes > limitBytes ? undefined : Buffer.allocUnsafe(announcedBytes)
  let size = 0
  const drop = dropping(raw)
  await new Promise<void>((resolve, reject) => {
    // The sender has hung up, or is cut off, and never sees this.
    const refuse = () => {
      reject(invalid(sentences.badRequest))
      return true
    }
    let isRefused = false
    const fail = () => {
      if (!isRefused) refusals.take(() => "", refuse)
      isRefused = true
    }
    // After every request, also a complete one.
    raw.on("close", () => raw.readableEnded || fail())
    raw.on("error", fail)
    raw.on("end", resolve)
    raw.on("data", (chunk: Buffer) => {
      kept = size + chunk.length > limitBytes ? undefined : kept && append(kept, size, chunk)
      size += chunk.length
      if (size > limitBytes + maxDroppedBytes) raw.destroy()
      else if (kept === undefined) drop(chunk)
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
