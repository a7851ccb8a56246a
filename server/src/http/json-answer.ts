import { Readable } from "node:stream"
import type { FastifyReply } from "fastify"
import { z } from "zod"
import { startPace } from "../bounds/turns.ts"

/** Large enough that few writes send a long answer, small beside the memory of one. */
const chunkLength = 64 * 1024

/** True if the output holds a list, and so may be long. */
export function mayBeLong(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodArray) return true
  return schema instanceof z.ZodObject && Object.values(schema.shape).some((field) => mayBeLong(field as z.ZodType))
}

/**
 * Sends an answer whose lists may be long: they are checked and printed element by element while the reader takes them.
 * So neither the text nor what a getter opens is ever in memory as a whole, and other requests get their turns.
 */
export async function sendLongJson(
  reply: FastifyReply,
  { msg, schema, data }: { msg: string; schema: z.ZodType; data: unknown },
): Promise<FastifyReply> {
  const chunks = inChunks(envelopePieces(msg, schema, data))
  const first = await chunks.next()
  const second = await chunks.next()
  reply.type("application/json; charset=utf-8")
  if (second.done) return reply.send(first.value)
  // Fastify would read the whole stream to drop it, when the answer is long sent.
  if (reply.request.method === "HEAD") return reply.send(Readable.from([]))
  return reply.send(Readable.from(startingWith([first.value, second.value], chunks), { objectMode: false }))
}

async function* startingWith(made: (string | undefined)[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  for (const chunk of made) if (chunk !== undefined) yield chunk
  yield* rest
}

async function* inChunks(pieces: Iterable<string>): AsyncGenerator<string, undefined> {
  const pace = startPace()
  let chunk = ""
  for (const piece of pieces) {
    chunk += piece
    if (pace.isDue()) await pace.turn()
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ""
  }
  yield chunk
}

function* envelopePieces(msg: string, schema: z.ZodType, data: unknown): Generator<string> {
  yield `{"error":false,"msg":${JSON.stringify(msg)},"data":`
  yield* pieces(schema, data)
  yield "}"
}

function* pieces(schema: z.ZodType, data: unknown): Generator<string> {
  if (schema instanceof z.ZodArray && Array.isArray(data)) yield* listPieces(schema.element as z.ZodType, data)
  else if (schema instanceof z.ZodObject && mayBeLong(schema)) yield* fieldPieces(schema.shape, data)
  else yield JSON.stringify(schema.parse(data))
}

function* listPieces(element: z.ZodType, list: unknown[]): Generator<string> {
  let separator = "["
  for (const one of list) {
    yield separator
    yield* pieces(element, one)
    separator = ","
  }
  yield list.length === 0 ? "[]" : "]"
}

function* fieldPieces(shape: z.ZodRawShape, data: unknown): Generator<string> {
  let separator = "{"
  for (const [name, field] of Object.entries(shape)) {
    yield `${separator}${JSON.stringify(name)}:`
    yield* pieces(field as z.ZodType, (data as Record<string, unknown>)[name])
    separator = ","
  }
  yield "}"
}
