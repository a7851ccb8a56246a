import { type Call, isInQuery, pathFields } from "@envkeep/contract"
import fc, { type Arbitrary } from "fast-check"
import { z } from "zod"
import { type Picked, picked, resolve } from "./draw.ts"
import type { Account, Kind, Model } from "./model.ts"

// Requests as the contract describes them, so that a command only says what it draws and what it expects.

export interface CallInput {
  id?: number
  revision?: number
  /** Other fields of the path. */
  ids?: Record<string, number>
  body?: unknown
  query?: string
}

export type DrawnFields = Record<string, unknown> & { at?: Picked }

/** What the contract's fields of ids are about. */
const kindByField: Record<string, Kind> = { subCollectionId: "environment", collectionId: "collection" }
const kindByPath: [start: string, kind: Kind][] = [
  ["/collectionItem/{id}", "item"],
  ["/subcollection/all/{id}", "collection"],
  ["/collection/{id}", "collection"],
  ["/collections/{id}", "collection"],
  ["/subcollection/{id}", "environment"],
  ["/environments/{id}", "environment"],
  ["/api-key/{id}", "key"],
]

/** The input field that says which thing a call is about. */
function subjectOf({ path, input }: Call): { field: string; kind: Kind } | undefined {
  const [, kind] = kindByPath.find(([start]) => path.startsWith(start)) ?? []
  if (kind !== undefined) return { field: "id", kind }
  const { properties = {} } = z.toJSONSchema(input, { io: "output", unrepresentable: "any" })
  const field = Object.keys(properties).find((name) => name in kindByField)
  return field === undefined ? undefined : { field, kind: kindByField[field] as Kind }
}

/** How a call is drawn if a command does not say it, and the request that is made of what was drawn. */
export function requestsOf(call: Call) {
  const subject = subjectOf(call)
  const inPath = pathFields(call.path)
  const usualDraw: Arbitrary<DrawnFields> = subject === undefined ? fc.constant({}) : fc.record({ at: picked })
  return { usualDraw, request }

  function request(context: { model: Model; account: Account | undefined }, { at, ...drawn }: DrawnFields): CallInput {
    const { model, account } = context
    if (subject !== undefined && at !== undefined) drawn[subject.field] = resolve(model, account, subject.kind, at)
    const fields = Object.entries(drawn).filter(([, value]) => value !== undefined)
    const others = fields.filter(([field]) => !inPath.includes(field))
    const inQuery = others.filter(([field]) => isInQuery(call, field))
    const inBody = others.filter(([field]) => !isInQuery(call, field))
    const pairs = inQuery.map(([field, value]) => `${field}=${encodeURIComponent(String(value).toWellFormed())}`)
    return {
      ...Object.fromEntries(fields.filter(([field]) => inPath.includes(field))),
      ...(pairs.length === 0 ? {} : { query: `?${pairs.join("&")}` }),
      ...(inBody.length === 0 ? {} : { body: call.body === undefined ? Object.fromEntries(inBody) : drawn[call.body] }),
    }
  }
}
