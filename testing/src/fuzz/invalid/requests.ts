import fc, { type Arbitrary } from "fast-check"
import type { Sent } from "../wire.ts"
import * as nasty from "./nasty.ts"
import { anyId, type Target, targets } from "./targets.ts"

/** One thing that is wrong with a request. `at` says which field, of however many there are. */
type Twist =
  | { twist: "field" | "repeat"; at: number; json: string }
  | { twist: "drop"; at: number }
  | { twist: "extra"; name: string; json: string }
  | { twist: "body"; body: string | Buffer }
  /** Bytes put into the last text of an otherwise good body. */
  | { twist: "bytes"; hex: string }
  | { twist: "step"; at: number; step: string }
  | { twist: "query"; query: string }
  | { twist: "header"; header: [string, string] }
  | { twist: "method"; method: string }

export interface Request {
  call: string
  by: "whoever may" | "guest" | "attacker" | "admin"
  whose: "own" | "other's"
  id: number
  twists: Twist[]
}

const at = fc.nat(7)
const kind = <Name extends string>(name: Name) => fc.constant(name)

const twist: Arbitrary<Twist> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ twist: kind("field"), at, json: nasty.nastyJson }) },
  { weight: 2, arbitrary: fc.record({ twist: kind("drop"), at }) },
  { weight: 2, arbitrary: fc.record({ twist: kind("extra"), name: nasty.nastyName, json: nasty.nastyJson }) },
  { weight: 1, arbitrary: fc.record({ twist: kind("repeat"), at, json: nasty.nastyJson }) },
  { weight: 3, arbitrary: fc.record({ twist: kind("body"), body: nasty.nastyBody }) },
  { weight: 1, arbitrary: fc.record({ twist: kind("bytes"), hex: nasty.brokenUtf8 }) },
  { weight: 4, arbitrary: fc.record({ twist: kind("step"), at, step: nasty.nastyStep }) },
  { weight: 2, arbitrary: fc.record({ twist: kind("query"), query: nasty.nastyQuery }) },
  { weight: 3, arbitrary: fc.record({ twist: kind("header"), header: nasty.nastyHeader }) },
  { weight: 1, arbitrary: fc.record({ twist: kind("method"), method: nasty.otherMethods }) },
)

const named = new Map(targets.map((target) => [`${target.call.method} ${target.call.path}`, target]))

export const requests: Arbitrary<Request> = fc.record({
  call: fc.constantFrom(...named.keys()),
  by: fc.oneof(
    { weight: 5, arbitrary: kind("whoever may") },
    { weight: 3, arbitrary: fc.constantFrom("guest" as const, "attacker" as const, "admin" as const) },
  ),
  whose: fc.oneof({ weight: 3, arbitrary: kind("own") }, kind("other's")),
  id: fc.nat(3),
  twists: fc.array(twist, { maxLength: 3, size: "max" }),
})

/** What the request needs of the moment it is made in. */
export interface Moment {
  ownIds: number[]
  othersIds: number[]
  othersEmail: string
  headers: Record<string, string>
}

/** The request as it goes over the wire. */
export function written({ call: name, whose, id: index, twists }: Request, moment: Moment): Sent {
  const { call, inPath, sample } = named.get(name) as Target
  const ids = whose === "own" ? moment.ownIds : moment.othersIds
  const id = ids[index % ids.length] ?? 1
  const filled = (text: string) =>
    text
      .replaceAll("<own id>", String(moment.ownIds[index % moment.ownIds.length]))
      .replaceAll("<other's id>", String(moment.othersIds[index % moment.othersIds.length]))
      .replaceAll("<other's email>", moment.othersEmail)

  const members: [string, string][] = Object.entries(sample).map(([field, value]) => [field, jsonOf(value, id)])
  const steps = call.path.split("/").map((step) => (inPath.includes(step.slice(1, -1)) ? String(id) : step))
  const headers: Record<string, string> = { ...moment.headers, "content-type": "application/json" }
  let body: string | Buffer | undefined
  let query = ""
  let method: string = call.method
  for (const one of twists) {
    const member = "at" in one && members.length > 0 ? members[one.at % members.length] : undefined
    if (one.twist === "field" && member) member[1] = filled(one.json)
    else if (one.twist === "repeat" && member) members.push([member[0], filled(one.json)])
    else if (one.twist === "drop" && member) members.splice(members.indexOf(member), 1)
    else if (one.twist === "extra") members.push([one.name, filled(one.json)])
    else if (one.twist === "body") body = typeof one.body === "string" ? filled(one.body) : one.body
    // Mostly the last step, where the ids are.
    else if (one.twist === "step")
      steps[one.at > 1 ? steps.length - 1 : 1 + (one.at % (steps.length - 1))] = filled(one.step)
    else if (one.twist === "query") query = one.query
    else if (one.twist === "header") headers[one.header[0]] = one.header[1]
    else if (one.twist === "method") method = one.method
  }
  const bytes = twists.find((one) => one.twist === "bytes")
  if (bytes !== undefined) body = withBytes(bodyOf(call.body, members), bytes.hex)
  const hasBody = body !== undefined || method === "POST" || method === "PUT"
  return {
    method,
    path: `/api${steps.join("/")}${query || (hasBody ? "" : queryOf(members))}`,
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
