import { type Access, type Call, pathFields } from "@envkeep/contract"
import { z } from "zod"
import { escapeHtml } from "../escape-html.ts"

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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Envkeep API</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>Envkeep API</h1>
<p>Every answer is <code>{ error, msg, data }</code>; a failure has <code>error: true</code> and says why in <code>msg</code>.
Calls of a signed-in user send the session cookie; reading with an API key sends <code>Authorization: Bearer &lt;key&gt;</code>.
The same for machines: <a href="/api/openapi.json">openapi.json</a>.</p>
<nav aria-label="Sections">${Object.keys(groups)
    .map((group) => `<a href="#${group}">${title(group)}</a>`)
    .join("")}</nav>
</header>
<main>
${sections.join("\n")}
</main>
</body>
</html>
`
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
  return `<article>
<h3><b class="${call.method}">${call.method}</b> <code>/api${escapeHtml(call.path)}</code></h3>
<p>${escapeHtml(call.summary)} <i>${accessText[call.access]}.</i></p>
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

const title = (group: string) => group.replace(/^./, (first) => first.toUpperCase()).replace("ApiKeys", "API keys")

/** For pages that work without the screens. */
export const pageStyle = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #333a44); --soft: light-dark(#f5f7f9, #1b2027); --dim: light-dark(#5a6472, #9aa5b4); }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 860px; margin: 0 auto; padding: 40px 20px 80px; background: light-dark(#fff, #14181d); color: light-dark(#1a2027, #e6eaef); }
h1 { font-size: 28px; letter-spacing: -.02em; margin: 0 0 8px; } h2 { margin: 48px 0 12px; font-size: 20px; } h3 { margin: 0; font-size: 15px; font-weight: 500; overflow-wrap: anywhere; }
a { color: light-dark(#0a6b52, #5fd3ae); } nav { display: flex; flex-wrap: wrap; gap: 8px 18px; }
article { border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; margin: 12px 0; } article p { margin: 6px 0 10px; color: var(--dim); }
code, pre { font: 13.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; } pre { background: var(--soft); border-radius: 8px; padding: 10px 12px; margin: 6px 0 0; overflow-x: auto; }
h3 code { font-size: 14.5px; } h3 b { display: inline-block; min-width: 56px; font: 600 12px ui-monospace, monospace; }
dl { display: grid; grid-template-columns: 56px minmax(0, 1fr); gap: 8px 0; margin: 0; } dt { color: var(--dim); font-size: 13px; padding-top: 2px; } dd { margin: 0; }
.GET { color: light-dark(#0a6b52, #5fd3ae); } .POST { color: light-dark(#1d4ed8, #8ab4ff); } .PUT { color: light-dark(#92580a, #f0b45c); } .DELETE { color: light-dark(#b42318, #ff9c92); }
`
