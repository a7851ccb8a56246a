import { z } from "zod"
import { type Call, isInQuery, pathFields, scopeOf } from "./call.ts"
import { Conflicts } from "./conflicts.ts"
import { ConfirmNeeded, SecondFactorNeeded } from "./second-factors.ts"

interface NamedCall {
  name: string
  group: string
  call: Call
}

/** The OpenAPI 3.1 document, made only from the calls, so that it always matches the server. */
export function openApiDocument(groups: Record<string, Record<string, Call>>) {
  const steps = openApiInSteps(groups)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same with a pause after each call, for a server that has others to serve. */
export function* openApiInSteps(groups: Record<string, Record<string, Call>>) {
  const namedCalls: NamedCall[] = Object.entries(groups).flatMap(([group, calls]) =>
    Object.entries(calls).map(([name, call]) => ({ name, group, call })),
  )
  const paths: Record<string, Record<string, unknown>> = {}
  for (const named of namedCalls) {
    const path = `/api${named.call.path}`
    paths[path] = { ...paths[path], [named.call.method.toLowerCase()]: operation(named) }
    yield
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Envkeep",
      version: "1",
      description:
        "A remote .env repository. Answers are { error, msg, data }; a failure has error true and says why in msg. Under https the session cookie is called __Host-envkeep_session.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "envkeep_session" },
        token: { type: "http", scheme: "bearer", description: "A personal token, which begins with ept_." },
        apiKey: { type: "http", scheme: "bearer" },
      },
      responses: {
        failure: response("A failure; msg says why.", failureSchema({ type: "null" })),
        forbidden: response(
          "You may not do this; or a login needs its second factor, or the session a confirmation: then data says which.",
          failureSchema({ anyOf: [jsonSchema(SecondFactorNeeded), jsonSchema(ConfirmNeeded), { type: "null" }] }),
        ),
        conflict: response(
          "The name is taken, or a later revision is in the way: then data says what changed, when and by whom.",
          failureSchema({ anyOf: [jsonSchema(Conflicts), { type: "null" }] }),
        ),
      },
    },
  }
}

function failureSchema(data: object) {
  return {
    type: "object",
    required: ["error", "msg", "data"],
    properties: { error: { const: true }, msg: { type: "string" }, data },
  }
}

function operation({ name, group, call }: NamedCall) {
  const inPath = pathFields(call.path)
  const input = jsonSchema(call.input)
  const inHeader = Object.entries(call.inHeader ?? {})
  const rest = Object.entries(input.properties ?? {}).filter(
    ([field]) => !inPath.includes(field) && call.inHeader?.[field] === undefined,
  )
  const required = rest
    .filter(([field, schema]) => input.required?.includes(field) && schema["default"] === undefined)
    .map(([field]) => field)
  const bodySchema =
    call.body === undefined
      ? { type: "object", properties: Object.fromEntries(rest), required, additionalProperties: false }
      : input.properties?.[call.body]
  return {
    operationId: `${group}.${name}`,
    tags: [group],
    summary: call.summary,
    security: security(call),
    parameters: [
      ...inPath.map((field) => ({ name: field, in: "path", required: true, schema: input.properties?.[field] })),
      ...rest
        .filter(([field]) => isInQuery(call, field))
        .map(([field, schema]) => ({ name: field, in: "query", schema })),
      ...inHeader.map(([field, name]) => ({ name, in: "header", schema: input.properties?.[field] })),
    ],
    ...(rest.some(([field]) => !isInQuery(call, field))
      ? { requestBody: { required: true, content: { "application/json": { schema: bodySchema } } } }
      : {}),
    responses: {
      [call.status ?? 200]: success(call),
      ...(call.plain && call.access === "key" ? { 304: { description: "The reader already has this revision." } } : {}),
      ...failures(call),
      ...("revision" in (input.properties ?? {}) && call.method !== "GET"
        ? { 409: { $ref: "#/components/responses/conflict" } }
        : {}),
    },
  }
}

/** The list of a bearer scheme says which scope of a token is needed. */
function security(call: Call) {
  if (call.access === "anyone") return []
  if (call.access === "key") return [{ apiKey: [] }]
  const scope = scopeOf(call)
  return [{ session: [] }, ...(scope === "never" ? [] : [{ token: [scope] }])]
}

function success(call: Call) {
  if (call.plain) return { description: call.done, content: { "*/*": { schema: jsonSchema(call.output) } } }
  return response(call.done, {
    type: "object",
    required: ["error", "msg", "data"],
    properties: { error: { const: false }, msg: { const: call.done }, data: jsonSchema(call.output) },
  })
}

function failures({ access, path, confirm }: Call) {
  const statuses = [
    400,
    ...(access === "anyone" ? [] : [401]),
    ...(access === "user" || access === "admin" || path === "/users/login" ? [403] : []),
    ...(pathFields(path).length > 0 ? [404] : []),
    429,
    "default",
  ]
  const saysWhat = confirm || path === "/users/login" || path === "/users"
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { $ref: `#/components/responses/${status === 403 && saysWhat ? "forbidden" : "failure"}` },
    ]),
  )
}

function response(description: string, schema: unknown) {
  return { description, content: { "application/json": { schema } } }
}

/** `output` is the side of a piped schema that names the fields. No schema here changes the type of its input. */
function jsonSchema(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "output", unrepresentable: "any" })
  return rest as { properties?: Record<string, Record<string, unknown>>; required?: string[] }
}
