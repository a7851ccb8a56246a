import { isUtf8 } from "node:buffer"
import { type Call, type CheckedList, isInQuery, listOf, pathFields, refusal, sentences } from "@envkeep/contract"
import type { FastifyRequest } from "fastify"
import { z } from "zod"
import { runInPieces } from "../bounds/turns.ts"
import { invalid } from "../errors.ts"

/** The call's input from path, query and body, checked against the contract. */
export function readInput<Input extends z.ZodType>(call: Call<Input>, request: FastifyRequest): z.output<Input> {
  return accepted(call.input.safeParse(rawInput(call, request, request.body)))
}

/** What stands in the input for a body that has been checked. So its faults keep their place among those of other fields. */
const checkedBody = z.custom<CheckedList>().transform(listOf)

/** Like `readInput`, for calls whose body may be a long list: it is checked in pieces, so that other requests get their turns. */
export function inputReader<Input extends z.ZodType>(
  call: Call<Input>,
): (request: FastifyRequest) => Promise<z.output<Input>> {
  const { input, body, bodyInSteps } = call
  if (body === undefined || bodyInSteps === undefined || !(input instanceof z.ZodObject)) {
    return async (request) => readInput(call, request)
  }
  const withCheckedBody = input.extend({ [body]: checkedBody })
  return async (request) => {
    const checked = await runInPieces(bodyInSteps(request.body))
    // The body's steps give what its schema would.
    return accepted(withCheckedBody.safeParse(rawInput(call, request, checked))) as z.output<Input>
  }
}

function accepted<Output>(parsed: z.ZodSafeParseResult<Output>): Output {
  if (!parsed.success) throw invalid(refusal(parsed.error))
  return parsed.data
}

function rawInput(call: Call, request: FastifyRequest, sent: unknown): unknown {
  const inPath = pathFields(call.path)
  const params = request.params as Record<string, string>
  const ids = Object.fromEntries(inPath.map((field) => [field, toNumber(params[field] ?? "")]))
  const query = knownQuery(call, request)
  if (call.method === "GET") return { ...query, ...inHeaders(call, request), ...ids }
  if (call.body !== undefined) return { ...query, ...ids, [call.body]: sent }

  const body = sent ?? {}
  if (typeof body !== "object" || Array.isArray(body)) return body
  const isKnownElsewhere = (field: string) => inPath.includes(field) || isInQuery(call, field)
  const clash = Object.keys(body).find(isKnownElsewhere)
  if (clash !== undefined) throw invalid(`Unknown field: ${clash.slice(0, 50)}`)
  return { ...query, ...body, ...ids }
}

function inHeaders({ inHeader = {} }: Call, { headers }: FastifyRequest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(inHeader).flatMap(([field, name]) => (headers[name] === undefined ? [] : [[field, headers[name]]])),
  )
}

/** Unknown parameters are ignored: caches and trackers add their own to a URL. */
function knownQuery(call: Call, request: FastifyRequest): Record<string, unknown> {
  const shape = "shape" in call.input ? (call.input.shape as Record<string, unknown>) : {}
  const isKnown = (name: string) => Object.hasOwn(shape, name) && isInQuery(call, name)
  for (const name of undecodedFields(request.url)) if (isKnown(name)) throw invalid(sentences.badRequest)
  return Object.fromEntries(Object.entries(request.query as object).filter(([name]) => isKnown(name)))
}

/** Fields whose values are no percent-encoded UTF-8. Fastify leaves these as they are, so other text would be stored. */
function undecodedFields(url: string): string[] {
  const query = url.slice(url.indexOf("?") + 1)
  if (canBeDecoded(query)) return []
  const undecoded = query.split("&").filter((pair) => !canBeDecoded(pair))
  const names = undecoded.map((pair) => pair.slice(0, pair.indexOf("=")))
  return names.filter(canBeDecoded).map(decodeURIComponent)
}

/** Not by trying: a URL can hold thousands of faults, and an exception for each would take half a second. */
function canBeDecoded(text: string): boolean {
  if (/%(?![\da-f]{2})/i.test(text)) return false
  const escapes = text.match(/(?:%[\da-f]{2})+/gi) ?? []
  return escapes.every((escaped) => isUtf8(Buffer.from(escaped.replaceAll("%", ""), "hex")))
}

/** Only plain digits count as a number. JavaScript would also read `1e3`, `0x1` and `01` as one. */
function toNumber(text: string): number | string {
  return /^[1-9]\d*$/.test(text) ? Number(text) : text
}
