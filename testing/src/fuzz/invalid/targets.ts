import { type Call, pathFields } from "@envkeep/contract"
import { z } from "zod"
import { allCalls } from "../../all-calls.ts"

// Every call and all of its fields, from the contract's schemas, so that a new call is fuzzed without a change here.

export interface FuzzTarget {
  call: Call
  inPath: string[]
  /** The fields of the body (of the query for a GET), each with a value that its schema accepts. */
  sample: Record<string, unknown>
}

interface JsonSchema {
  type?: string
  format?: string
  pattern?: string
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  /** Of what can be null, among others. */
  anyOf?: JsonSchema[]
}

/** A text that every field accepts: a valid e-mail, long enough for a password, and fine as a name. */
export const goodText = "fuzz@example.com"
/** A placeholder for an id, which is chosen when the request is built. */
export const anyId = 0

/** What a passkey answers. */
const base64url = "^[\\w-]+$"

export const targets: FuzzTarget[] = allCalls.map((call) => {
  const inPath = pathFields(call.path)
  const schema = z.toJSONSchema(call.input, { io: "output", unrepresentable: "any" }) as JsonSchema
  const fields = Object.entries(schema.properties ?? {}).filter(([field]) => !inPath.includes(field))
  return { call, inPath, sample: Object.fromEntries(fields.map(([field, one]) => [field, sampleOf(one)])) }
})

function sampleOf({ type, format, pattern, properties = {}, items, anyOf, ...schema }: JsonSchema): unknown {
  if (anyOf?.[0] !== undefined) return sampleOf(anyOf[0])
  if (format === "date-time") return "2026-01-31T12:00:00Z"
  if (format === "ip-range") return "203.0.113.0/24"
  if (format === "totp-code") return "123456"
  // No name ends so: nothing is sent.
  if (format === "uri") return "https://hooks.invalid/"
  if (pattern === base64url) return "AA"
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (type === "integer" || type === "number") return anyId
  if (type === "boolean") return true
  if (type === "array") return items === undefined ? [] : [sampleOf(items)]
  if (type !== "object") return goodText
  return Object.fromEntries(Object.entries(properties).map(([field, one]) => [field, sampleOf(one)]))
}

/** The call that a request's method and path belong to, with its input; undefined if there is none. */
export function matchCall({ method, path, body }: { method: string; path: string; body: string | undefined }) {
  const [plain = "", query = ""] = path.split("?", 2)
  const target = targets.find(
    ({ call }) => call.method === (method === "HEAD" ? "GET" : method) && pattern(call).test(plain),
  )
  if (target === undefined) return undefined
  const { call, inPath } = target
  const segments = pattern(call).exec(plain)?.groups
  const ids = Object.fromEntries(inPath.map((field) => [field, idIn(segments?.[field] ?? "")]))
  if (call.method === "GET" || (call.method === "DELETE" && body === undefined)) {
    const known = [...new URLSearchParams(query)].filter(([name]) => Object.hasOwn(target.sample, name))
    return { call, input: { ...Object.fromEntries(known), ...ids } }
  }
  const sent: unknown = body ? parsed(body) : undefined
  if (call.body !== undefined) return { call, input: { ...ids, [call.body]: sent } }
  return { call, input: sent !== null && typeof sent === "object" ? { ...sent, ...ids } : (sent ?? ids) }
}

const pattern = (call: Call) => new RegExp(`^/api${call.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`)

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
    return "not JSON"
  }
}
