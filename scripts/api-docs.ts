import { type Access, type Call, calls, mailCalls, pathFields, scopeOf } from "@envkeep/contract"
import { openApiDocument } from "@envkeep/contract/openapi.ts"
import type { ZodType } from "zod"

const whoMay: Record<Access, string> = { anyone: "anyone", user: "user", admin: "admin", key: "API key" }

/** `docs/api.md`, generated from the contract: `npm run docs` writes it, and a test checks that it is current. */
export function apiDocs(): string {
  const sections = Object.entries(calls).map(([group, named]) => `## ${group}\n\n${table(Object.values(named))}`)
  const ofMail = Object.values(mailCalls).flatMap((named): Call[] => Object.values(named))
  return `# The API

Generated from \`contract/\` by \`npm run docs\`. A running server shows the same, with all shapes, at \`/api/docs\`, and for
machines at \`/api/openapi.json\`.

Every answer is \`{ "error": boolean, "msg": string, "data": ... }\`; \`data\` is null when there is none, and in most
failures. A 409 that a \`revision\` caused lists in \`data.conflicts\` what changed since, with name, revision, time and user.
A login with a second factor is refused with 403 and \`data.secondFactor\`, which says what can finish it: \`totp\`,
\`passkey\`, \`recoveryCode\`. Calls marked **confirm** need a session that logged in or confirmed within the last ten minutes;
otherwise they answer 403 with \`data.confirm\`, which says how to confirm (\`password\`, \`passkey\`; with
neither, by a sign-in at a connected provider), and can then be repeated.
Bodies are JSON. A session cookie identifies a signed-in user. A client with an API key sends
\`Authorization: Bearer <key>\`, and gets the variables themselves instead of an envelope.

A program can call the API in the name of a user with a personal token, which is made on the profile page and sent as
\`Authorization: Bearer ept_...\`. The cookie then does not count. "Token" is the scope that a call needs; each scope
includes the ones before it: \`names\` (never a value), \`read\`, \`write\`, \`manage\`. What the user may do still decides. A token
that is limited to some collections finds no others, and is refused all calls about the account with 403, even those about
itself (\`/users/me/token\`). Only \`GET /users/me\` and the calls for anyone are left. \`GET /collection\`, \`GET /api-key\`,
\`GET /trash\` and \`POST /find\` answer with what is in its collections.

| Status | Means |
|---|---|
| 400 | The input is wrong; \`msg\` says what. |
| 401 | You are not signed in, or the API key or the token is not valid. |
| 403 | Your role is too weak, or it is for owners or administrators only; not with this token; a write that came from another site, a registration without what the server asks for, the right password of a disabled account, or \`data\` says what is missing: a second factor or a confirmation. |
| 404 | It does not exist, or it belongs to someone else: both get the same answer. |
| 409 | The name is taken, or the revision has changed since the one you named. |
| 410 | The revision is no longer kept, or one of its values was erased; what it inherited is no longer kept, or is protected and the key may not read it; or the invitation was used, revoked or has expired. |
| 413, 415 | The body is too large, or is not JSON. |
| 422 | The format cannot hold a variable; \`msg\` names it. |
| 429 | Too many attempts; \`Retry-After\` says how many seconds to wait. |
| 500, 503 | The server failed, or the database is away. Nothing was changed, unless \`msg\` says that this is unknown. |

${sections.join("\n")}
## mail

Only a server that sends mail has these calls and fields (\`SMTP_URL\`).

${table(ofMail)}`
}

function table(listed: Call[]): string {
  const rows = listed.map((call) => {
    const success = call.plain ? "the text itself" : `${call.status ?? 200} '${call.done}'`
    return `| ${call.method} | \`/api${call.path}\` | ${whoMay[call.access]} | ${tokenFor(call)} | ${input(call)} | ${success} | ${call.confirm ? "**confirm** " : ""}${call.summary} |`
  })
  return `| Method | Path | Who | Token | Takes | Success | What it does |
|---|---|---|---|---|---|---|
${rows.join("\n")}
`
}

/** The scope of a token that can make the call. */
function tokenFor(call: Call): string {
  const scope = scopeOf(call)
  return scope === "never" ? "" : `\`${scope}\``
}

function input(call: Call): string {
  const inPath = pathFields(call.path)
  const fields = Object.keys(shapeOf(call.input)).filter((field) => !inPath.includes(field) && field !== call.body)
  const named = (some: string[]) =>
    some.map((field) => (call.inHeader?.[field] ? `\`${field}\` in a header` : `\`${field}\``)).join(", ")
  if (call.body === undefined) return named(fields)
  const inList = listed(call)
  const elements = inList === undefined ? call.body : `\`{ ${Object.keys(inList).join(", ")} }\``
  const [needed, optional] = [false, true].map((isOptional) =>
    fields.filter((field) => shapeOf(call.input)[field]?.safeParse(undefined).success === isOptional),
  ) as [string[], string[]]
  const inQuery = [
    needed.length === 0 ? [] : [`with ${named(needed)} in the query`],
    optional.length === 0 ? [] : [`optionally ${named(optional)} in the query`],
  ].flat()
  return [`a list of ${elements}`, ...inQuery].join("; ")
}

/** The fields of the elements of a body that is a list, as the OpenAPI document has them. Plain texts have none. */
function listed({ path, method }: Call): object | undefined {
  const operation = openApiDocument(calls).paths[`/api${path}`]?.[method.toLowerCase()] as {
    requestBody: { content: { "application/json": { schema: { items: { properties?: object } } } } }
  }
  return operation.requestBody.content["application/json"].schema.items.properties
}

/** A form's fields are inside the schema of its first rules. */
function shapeOf(schema: unknown): Record<string, ZodType> {
  const { shape, out } = schema as { shape?: Record<string, ZodType>; out?: unknown }
  return shape ?? (out === undefined ? {} : shapeOf(out))
}
