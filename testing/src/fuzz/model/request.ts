import { type Call, isInQuery, pathFields } from "@envkeep/contract"
import fc from "fast-check"
import { z } from "zod"
import { fieldsByName, unknownId } from "./draw.ts"
import type { CallContext, Field, RequestContext } from "./field.ts"
import { type SubjectKind, subjects } from "./subjects.ts"
import type { Fault } from "./text-rules.ts"

// Requests as the contract describes them, so that a command only says what the contract cannot know.

interface FieldSchema {
  type?: string
  enum?: string[]
  minimum?: number
  maximum?: number
  default?: unknown
}

export function schemaOf({ input }: Call): { properties: Record<string, FieldSchema>; required: string[] } {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "output", unrepresentable: "any" })
  return { properties: properties as Record<string, FieldSchema>, required }
}

/** Undefined if the schema is not enough to draw a value that the model understands. */
function fieldFor(name: string, schema: FieldSchema): Field | undefined {
  if (schema.enum !== undefined) return { draw: fc.constantFrom(...schema.enum) }
  if (schema.type === "boolean") return { draw: fc.boolean() }
  if (schema.type !== "integer") return fieldsByName[name] as Field | undefined
  const { minimum: min, maximum: max } = schema
  return { draw: min === undefined || max === undefined ? fc.constant(unknownId) : fc.integer({ min, max }) }
}

/** Optional fields are left out, always if they are ids or other numbers. */
function optionalField(name: string, schema: FieldSchema): Field | undefined {
  const one = schema.type === "integer" && schema.default === undefined ? undefined : fieldFor(name, schema)
  return one && { ...one, draw: fc.option(one.draw, { nil: undefined, freq: 4 }) }
}

/** All fields of a call: first what it is about, then those that the schema describes, then those of the command. */
function fieldsOf(call: Call, about: SubjectKind | undefined, given: Record<string, Field>): [string, Field][] {
  const subject: Record<string, Field> = about === undefined ? {} : { [subjectField(call, about)]: subjects[about].id }
  const { properties, required } = schemaOf(call)
  const others = Object.entries(properties).filter(([name]) => !(name in given || name in subject))
  const drawn = others.flatMap(([name, one]): [string, Field][] => {
    const isOptional = one.default !== undefined || !required.includes(name)
    const field = isOptional ? optionalField(name, one) : fieldFor(name, one)
    if (field === undefined && !isOptional) throw new Error(`${call.path}: nothing says how ${name} is drawn`)
    return field === undefined ? [] : [[name, field]]
  })
  return [...Object.entries(subject), ...drawn, ...Object.entries(given)]
}

function subjectField({ path }: Call, about: SubjectKind): string {
  if (pathFields(path).includes("id")) return "id"
  return about === "collection" ? "collectionId" : "subCollectionId"
}

interface Resolved {
  context: RequestContext
  /** Whether the caller has what the call is about. */
  isFound: boolean
}

/** How the input of a call is drawn, and what becomes of it when the call is made. */
export function drawnFor(call: Call, about: SubjectKind | undefined, given: Record<string, Field>) {
  const fields = fieldsOf(call, about, given)
  const draw = fc.record(Object.fromEntries(fields.map(([name, { draw }]) => [name, draw])))
  return { draw, resolved, faultsOf }

  function resolved(context: CallContext, drawn: Record<string, unknown>): Resolved {
    const made: RequestContext = { ...context, input: {} }
    let isFound = true
    for (const [index, [name, { sent }]] of fields.entries()) {
      made.input[name] = sent ? sent(made, drawn[name]) : drawn[name]
      if (index > 0 || about === undefined) continue
      const found = subjects[about].find(context, made.input[name] as number)
      isFound = found !== undefined
      Object.assign(made, found)
    }
    return { context: made, isFound }
  }

  function faultsOf(input: Record<string, unknown>, blank: string): Fault[] {
    const sent = fields.filter(([name]) => input[name] !== undefined)
    return sent.flatMap(([name, { faults }]) => faults?.(input[name], blank) ?? [])
  }
}

export function requestOf(call: Call, input: Record<string, unknown>): { path: string; body?: unknown } {
  const inPath = pathFields(call.path)
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name) => String(input[name]))
  const others = Object.entries(input).filter(([name, value]) => value !== undefined && !inPath.includes(name))
  const inQuery = others.filter(([name]) => isInQuery(call, name))
  const inBody = others.filter(([name]) => !isInQuery(call, name))
  const pairs = inQuery.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`)
  return {
    path: pairs.length === 0 ? path : `${path}?${pairs.join("&")}`,
    ...(inBody.length === 0 ? {} : { body: call.body === undefined ? Object.fromEntries(inBody) : input[call.body] }),
  }
}
