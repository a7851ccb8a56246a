import { type Access, type Call, pathFields } from "@envkeep/contract"
import { z } from "zod"
import { escapeHtml } from "../escape-html.ts"
import { docsPageStyle } from "./docs-page-style.ts"
import { plainPage } from "./plain-page.ts"

const accessText: Record<Access, string> = {
  anyone: "Anyone",
  user: "Signed-in user",
  admin: "Administrator",
  key: "Holder of an API key",
}

/** One page without scripts: every call, its access, its input and its output. With a pause after each call. */
export function* docsPageInSteps(groups: Record<string, Record<string, Call>>): Generator<undefined, string> {
  const sections: string[] = []
  for (const [group, calls] of Object.entries(groups)) sections.push(yield* section(group, Object.values(calls)))
  return plainPage({
    title: "API",
    style: docsPageStyle,
    links: [{ href: "/api/openapi.json", label: "openapi.json" }],
    body: `<div class="columns">
<nav aria-label="Sections">${Object.entries(groups).map(sectionLink).join("")}</nav>
<main id="main" tabindex="-1">
<h1>API</h1>
<p>Every answer is <code>{ error, msg, data }</code>; a failure has <code>error: true</code> and says why in <code>msg</code>.
Calls of a signed-in user send the session cookie; reading with an API key sends <code>Authorization: Bearer &lt;key&gt;</code>.
Programs read the same in <a href="/api/openapi.json">openapi.json</a>.</p>
${sections.join("\n")}
</main>
</div>`,
  })
}

function sectionLink([group, calls]: [string, Record<string, Call>]): string {
  return `<a href="#${group}">${title(group)} <small>${Object.keys(calls).length}</small></a>`
}

function* section(group: string, calls: Call[]): Generator<undefined, string> {
  const articles: string[] = []
  for (const call of calls) {
    articles.push(article(call))
    yield
  }
  return `<section id="${group}"><h2>${title(group)}</h2>${articles.join("\n")}</section>`
}

function article(call: Call): string {
  const inPath = pathFields(call.path)
  const { properties = {} } = z.toJSONSchema(call.input, { io: "output", unrepresentable: "any" })
  const { inHeader = {} } = call
  const headers = Object.entries(inHeader).map(([field, name]) => [name, properties[field]])
  const isElsewhere = (field: string) => inPath.includes(field) || inHeader[field] !== undefined
  const sent = Object.fromEntries(Object.entries(properties).filter(([field]) => !isElsewhere(field)))
  const { [call.body ?? ""]: wholeBody, ...rest } = sent
  const restIn = call.method === "GET" || wholeBody !== undefined ? "Query" : "Body"
  const id = anchor(call)
  return `<article id="${id}">
<h3><a href="#${id}"><b class="${call.method}">${call.method}</b> <code>/api${escapeHtml(call.path)}</code></a></h3>
<p>${escapeHtml(call.summary).replace(/`([^`]+)`/g, "<code>$1</code>")} <span class="access">${accessText[call.access]}</span></p>
<dl>
${wholeBody === undefined ? "" : `<dt>Body</dt><dd><pre>${shape(wholeBody)}</pre></dd>`}
${Object.keys(rest).length === 0 ? "" : `<dt>${restIn}</dt><dd><pre>${shape(rest)}</pre></dd>`}
${headers.length === 0 ? "" : `<dt>Header</dt><dd><pre>${shape(Object.fromEntries(headers))}</pre></dd>`}
<dt>${call.status ?? 200}</dt><dd>${call.plain ? "" : `<q>${escapeHtml(call.done)}</q>`}<pre>${shape(
    z.toJSONSchema(call.output, { io: "output", unrepresentable: "any" }),
  )}</pre></dd>
</dl>
</article>`
}

/** Where a call is on the page: a link to it can be sent. */
function anchor({ method, path }: Call): string {
  return `${method}${path}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "")
}

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  enum?: string[]
  anyOf?: Schema[]
  default?: unknown
  maxLength?: number
}

function shape(schema: unknown): string {
  const isSchema = typeof schema === "object" && schema !== null && ("type" in schema || "anyOf" in schema)
  return escapeHtml(describe((isSchema ? schema : { type: "object", properties: schema }) as Schema, ""))
}

/** A schema in the form in which a person would write it. */
function describe(schema: Schema, indent: string): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => describe(one, indent)).join(" | ")
  if (schema.enum !== undefined) {
    const shown = schema.enum.slice(0, 4).map((one) => JSON.stringify(one))
    return schema.enum.length > 4 ? `${shown.join(" | ")} | ... ${schema.enum.length} in all` : shown.join(" | ")
  }
  if (schema.items !== undefined) return `[${describe(schema.items, indent)}, ...]`
  if (schema.properties !== undefined) {
    const inner = `${indent}  `
    const lines = Object.entries(schema.properties).map(([field, one]) => `${inner}${field}: ${describe(one, inner)}`)
    return `{\n${lines.join("\n")}\n${indent}}`
  }
  const limit = schema.maxLength === undefined ? "" : `, up to ${schema.maxLength} characters`
  const byDefault = schema.default === undefined ? "" : `, ${JSON.stringify(schema.default)} by default`
  return `${schema.type ?? "any"}${limit}${byDefault}`
}

/** `secondFactors` is "Second factors". */
function title(group: string): string {
  const words = group.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words
    .replace(/^./, (first) => first.toUpperCase())
    .replace(/^Api /, "API ")
    .replace(/^Cli /, "Command ")
}
