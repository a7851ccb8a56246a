import fc, { type Arbitrary } from "fast-check"
import type { HttpRequest } from "../http-client.ts"
import * as nasty from "./nasty.ts"
import { anyId, type FuzzTarget, targets } from "./targets.ts"

/** One thing that is wrong with a request. `at` picks the field, modulo their number. */
type Mutation =
  | { kind: "field" | "repeat"; at: number; json: string }
  | { kind: "drop"; at: number }
  | { kind: "extra"; name: string; json: string }
  | { kind: "body"; body: string | Buffer }
  /** Bytes inserted into the last text of an otherwise valid body. */
  | { kind: "bytes"; hex: string }
  | { kind: "segment"; at: number; segment: string }
  | { kind: "query"; query: string }
  | { kind: "header"; header: [string, string] }
  | { kind: "method"; method: string }

/** A request to build, which does not yet know the ids and credentials of its case. */
export interface RequestPlan {
  call: string
  by: "an entitled user" | "guest" | "attacker" | "admin"
  whose: "own" | "other's"
  id: number
  mutations: Mutation[]
}

const at = fc.nat(7)
const constant = <Name extends string>(name: Name) => fc.constant(name)

const mutation: Arbitrary<Mutation> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: constant("field"), at, json: nasty.nastyJson }) },
  { weight: 2, arbitrary: fc.record({ kind: constant("drop"), at }) },
  { weight: 2, arbitrary: fc.record({ kind: constant("extra"), name: nasty.nastyName, json: nasty.nastyJson }) },
  { weight: 1, arbitrary: fc.record({ kind: constant("repeat"), at, json: nasty.nastyJson }) },
  { weight: 3, arbitrary: fc.record({ kind: constant("body"), body: nasty.nastyBody }) },
  { weight: 1, arbitrary: fc.record({ kind: constant("bytes"), hex: nasty.brokenUtf8 }) },
  { weight: 4, arbitrary: fc.record({ kind: constant("segment"), at, segment: nasty.nastySegment }) },
  { weight: 2, arbitrary: fc.record({ kind: constant("query"), query: nasty.nastyQuery }) },
  { weight: 3, arbitrary: fc.record({ kind: constant("header"), header: nasty.nastyHeader }) },
  { weight: 1, arbitrary: fc.record({ kind: constant("method"), method: nasty.otherMethods }) },
)

const targetsByName = new Map(targets.map((target) => [`${target.call.method} ${target.call.path}`, target]))

export const requests: Arbitrary<RequestPlan> = fc.record({
  call: fc.constantFrom(...targetsByName.keys()),
  by: fc.oneof(
    { weight: 5, arbitrary: constant("an entitled user") },
    { weight: 3, arbitrary: fc.constantFrom("guest" as const, "attacker" as const, "admin" as const) },
  ),
  whose: fc.oneof({ weight: 3, arbitrary: constant("own") }, constant("other's")),
  id: fc.nat(3),
  mutations: fc.array(mutation, { maxLength: 3, size: "max" }),
})

/** The ids and credentials of the case that a request belongs to. */
export interface RequestContext {
  ownIds: number[]
  othersIds: number[]
  othersEmail: string
  headers: Record<string, string>
}

export function buildRequest(
  { call: name, whose, id: index, mutations }: RequestPlan,
  context: RequestContext,
): HttpRequest {
  const { call, inPath, sample } = targetsByName.get(name) as FuzzTarget
  const ids = whose === "own" ? context.ownIds : context.othersIds
  const id = ids[index % ids.length] ?? 1
  const filled = (text: string) =>
    text
      .replaceAll("<own id>", String(context.ownIds[index % context.ownIds.length]))
      .replaceAll("<other's id>", String(context.othersIds[index % context.othersIds.length]))
      .replaceAll("<other's email>", context.othersEmail)

  const members: [string, string][] = Object.entries(sample).map(([field, value]) => [field, jsonOf(value, id)])
  const segments = call.path.split("/").map((segment) => (inPath.includes(segment.slice(1, -1)) ? String(id) : segment))
  const headers: Record<string, string> = { ...context.headers, "content-type": "application/json" }
  let body: string | Buffer | undefined
  let query = ""
  let method: string = call.method
  for (const one of mutations) {
    const member = "at" in one && members.length > 0 ? members[one.at % members.length] : undefined
    if (one.kind === "field" && member) member[1] = filled(one.json)
    else if (one.kind === "repeat" && member) members.push([member[0], filled(one.json)])
    else if (one.kind === "drop" && member) members.splice(members.indexOf(member), 1)
    else if (one.kind === "extra") members.push([one.name, filled(one.json)])
    else if (one.kind === "body") body = typeof one.body === "string" ? filled(one.body) : one.body
    // Mostly the last segment, where the ids are.
    else if (one.kind === "segment")
      segments[one.at > 1 ? segments.length - 1 : 1 + (one.at % (segments.length - 1))] = filled(one.segment)
    else if (one.kind === "query") query = one.query
    else if (one.kind === "header") headers[one.header[0]] = one.header[1]
    else if (one.kind === "method") method = one.method
  }
  const bytes = mutations.find((one) => one.kind === "bytes")
  if (bytes !== undefined) body = withBytes(bodyOf(call.body, members), bytes.hex)
  const hasBody = body !== undefined || method === "POST" || method === "PUT"
  return {
    method,
    path: `/api${segments.join("/")}${query || (hasBody ? "" : queryOf(members))}`,
    headers,
    ...(hasBody ? { body: body ?? bodyOf(call.body, members) } : {}),
  }
}

function jsonOf(value: unknown, id: number): string {
  return JSON.stringify(value, (_, one) => (one === anyId ? id : one))
}

function bodyOf(whole: string | undefined, members: [string, string][]): string {
  if (whole !== undefined) return members.find(([field]) => field === whole)?.[1] ?? ""
  return `{${members.map(([field, json]) => `${JSON.stringify(field)}:${json}`).join(",")}}`
}

function withBytes(body: string, hex: string): Buffer {
  const end = body.lastIndexOf('"')
  return Buffer.concat([Buffer.from(body.slice(0, end)), Buffer.from(hex, "hex"), Buffer.from(body.slice(end))])
}

function queryOf(members: [string, string][]): string {
  const pairs = members.map(
    ([field, json]) =>
      `${encodeURIComponent(field.toWellFormed())}=${encodeURIComponent(json.toWellFormed().replace(/^"|"$/g, ""))}`,
  )
  return pairs.length === 0 ? "" : `?${pairs.join("&").slice(0, 2_000)}`
}
