import { type Call, calls, pathFields } from "@envkeep/contract"
import { z } from "zod"

// Every call and every field of it, read from the contract's schemas: a new call is fuzzed without a line here.

export interface Target {
  call: Call
  inPath: string[]
  /** The fields of the body, or of the query in a GET, with a value each that the schema is meant to take. */
  sample: Record<string, unknown>
}

interface JsonSchema {
  type?: string
  enum?: unknown[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
}

/** Long enough for a password, an address for an e-mail, and a name for everything else. */
export const goodText = "fuzz@example.com"
/** Stands for an id; which one is decided when the request is made. */
export const anyId = 0

export const targets: Target[] = Object.values(calls)
  .flatMap((group) => Object.values(group) as Call[])
  .map((call) => {
    const inPath = pathFields(call.path)
    const schema = z.toJSONSchema(call.input, { io: "output", unrepresentable: "any" }) as JsonSchema
    const fields = Object.entries(schema.properties ?? {}).filter(([field]) => !inPath.includes(field))
    return { call, inPath, sample: Object.fromEntries(fields.map(([field, one]) => [field, sampleOf(one)])) }
  })

function sampleOf({ type, enum: choices, properties = {}, items }: JsonSchema): unknown {
  if (choices !== undefined) return choices[0]
  if (type === "integer" || type === "number") return anyId
  if (type === "array") return items === undefined ? [] : [sampleOf(items)]
  if (type !== "object") return goodText
  return Object.fromEntries(Object.entries(properties).map(([field, one]) => [field, sampleOf(one)]))
}

/** The call that a request is for, by its method and path, and what it says; nothing when it is for none. */
export function meant({ method, path, body }: { method: string; path: string; body: string | undefined }) {
  const [plain = "", query = ""] = path.split("?", 2)
  const target = targets.find(
    ({ call }) => call.method === (method === "HEAD" ? "GET" : method) && pattern(call).test(plain),
  )
  if (target === undefined) return undefined
  const { call, inPath } = target
  const ids = Object.fromEntries(inPath.map((field) => [field, idIn(pattern(call).exec(plain)?.[1] ?? "")]))
  if (call.method === "GET") {
    const known = [...new URLSearchParams(query)].filter(([name]) => Object.hasOwn(target.sample, name))
    return { call, input: { ...Object.fromEntries(known), ...ids } }
  }
  const sent: unknown = body ? parsed(body) : undefined
  if (call.body !== undefined) return { call, input: { ...ids, [call.body]: sent } }
  return { call, input: sent !== null && typeof sent === "object" ? { ...sent, ...ids } : (sent ?? ids) }
}

const pattern = (call: Call) => new RegExp(`^/api${call.path.replace(/\{\w+\}/, "([^/]+)")}$`)

function idIn(segment: string): unknown {
  try {
    const text = decodeURIComponent(segment)
    return /^[1-9]\d*$/.test(text) ? Number(text) : text
  } catch {
    return undefined
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return "no JSON"
  }
}
