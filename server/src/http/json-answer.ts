import { Readable } from "node:stream"
import type { FastifyReply } from "fastify"
import { z } from "zod"
import { ListInSteps } from "../bounds/list-in-steps.ts"
import { startPace } from "../bounds/turns.ts"

/** Large enough that few writes send a long answer, small beside the memory of one. */
const chunkLength = 64 * 1024

/** True if the output holds a list, and so may be long. */
export function mayBeLong(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodArray) return true
  return schema instanceof z.ZodObject && Object.values(schema.shape).some((field) => mayBeLong(field as z.ZodType))
}

/** The data of an answer, or with lists that are loaded while the reader takes them. */
export type Gradual<Data> =
  | GradualList<Data>
  | (Data extends readonly unknown[] ? never : { [Field in keyof Data]: GradualList<Data[Field]> })

type GradualList<List> = List extends readonly (infer One)[] ? List | ListInSteps<One> : List

/** Loads a step of a list that takes so many bytes, when it is the caller's turn. */
export type LoadStep = (bytes: number, load: () => Promise<void>) => Promise<void>

/**
 * Sends an answer whose lists may be long: they are checked and printed element by element while the reader takes them.
 * So neither the text nor what a getter opens is ever in memory as a whole, and other requests get their turns.
 */
export async function sendLongJson(
  reply: FastifyReply,
  { msg, schema, data, loadStep }: { msg: string; schema: z.ZodType; data: unknown; loadStep: LoadStep },
): Promise<FastifyReply> {
  return sendPieces(reply, inChunks(envelopePieces(msg, printerOf(schema)(data)), loadStep))
}

/** Sends an answer with one text that may be long. Its pieces are made and printed while the reader takes them. */
export function sendLongText(
  reply: FastifyReply,
  { msg, text }: { msg: string; text: Iterable<string> },
): Promise<FastifyReply> {
  return sendPieces(reply, inChunks(envelopePieces(msg, textPieces(text))))
}

function* textPieces(text: Iterable<string>): Generator<string> {
  yield '{"text":"'
  for (const piece of text) yield JSON.stringify(piece).slice(1, -1)
  yield '"}'
}

async function sendPieces(reply: FastifyReply, chunks: AsyncGenerator<string>): Promise<FastifyReply> {
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

async function* inChunks(pieces: Iterable<Piece>, loadStep?: LoadStep): AsyncGenerator<string, undefined> {
  const pace = startPace()
  let chunk = ""
  for (const piece of pieces) {
    if (typeof piece === "string") chunk += piece
    else await loadStep?.(piece.bytes, piece.load)
    if (pace.isDue()) await pace.turn()
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ""
  }
  yield chunk
}

/** A text, or something to load before the next piece is asked for. */
type Piece = string | Step

class Step {
  readonly bytes: number
  readonly load: () => Promise<void>

  constructor(bytes: number, load: () => Promise<void>) {
    this.bytes = bytes
    this.load = load
  }
}

function* envelopePieces(msg: string, data: Iterable<Piece>): Generator<Piece> {
  yield `{"error":false,"msg":${JSON.stringify(msg)},"data":`
  yield* data
  yield "}"
}

type Printer = (data: unknown) => Iterable<Piece>

const printers = new WeakMap<z.ZodType, Printer>()

/** Made once for each schema: an answer may have tens of thousands of elements of the same one. */
function printerOf(schema: z.ZodType): Printer {
  const known = printers.get(schema)
  if (known !== undefined) return known
  const printer = newPrinter(schema)
  printers.set(schema, printer)
  return printer
}

function newPrinter(schema: z.ZodType): Printer {
  if (schema instanceof z.ZodArray) return listPrinter(schema.element as z.ZodType)
  if (schema instanceof z.ZodObject && mayBeLong(schema)) return fieldsPrinter(schema.shape)
  return (data) => [print(schema, data)]
}

function print(schema: z.ZodType, data: unknown): string {
  return JSON.stringify(schema.parse(data))
}

function listPrinter(element: z.ZodType): Printer {
  const printElement = mayBeLong(element) ? printerOf(element) : undefined
  return function* (data) {
    let separator = "["
    for (const one of data instanceof ListInSteps ? elementsInSteps(data) : (data as unknown[])) {
      if (one instanceof Step) {
        yield one
        continue
      }
      if (printElement === undefined) yield separator + print(element, one)
      else {
        yield separator
        yield* printElement(one)
      }
      separator = ","
    }
    yield separator === "[" ? "[]" : "]"
  }
}

/** Before the elements of each step comes the step itself, to be loaded first. */
function* elementsInSteps({ bytesPerStep, steps }: ListInSteps<unknown>): Generator<unknown> {
  const loading = steps[Symbol.asyncIterator]()
  for (;;) {
    let loaded: IteratorResult<readonly unknown[]> | undefined
    yield new Step(bytesPerStep, async () => {
      loaded = await loading.next()
    })
    if (loaded === undefined || loaded.done) return
    yield* loaded.value
  }
}

function fieldsPrinter(shape: z.ZodRawShape): Printer {
  const fields = Object.entries(shape).map(([name, field]) => ({
    name,
    isOptional: field instanceof z.ZodOptional,
    printField: printerOf(field as z.ZodType),
  }))
  return function* (data) {
    let separator = "{"
    for (const { name, isOptional, printField } of fields) {
      if (isOptional && (data as Record<string, unknown>)[name] === undefined) continue
      yield `${separator}${JSON.stringify(name)}:`
      yield* printField((data as Record<string, unknown>)[name])
      separator = ","
    }
    yield "}"
  }
}
