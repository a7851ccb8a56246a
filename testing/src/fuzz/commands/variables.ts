import { type Call, sentences, type VariableFormat, variableFormats, variables } from "@envkeep/contract"
import { formats, type Variable } from "@envkeep/formats"
import fc, { type Arbitrary } from "fast-check"
import { expect } from "vitest"
import { readEvents } from "../../events.ts"
import type { HttpClient, HttpResponse } from "../http-client.ts"
import { type CallCommands, type Expected, expectResponse, notFound, refused } from "../model/command.ts"
import { allKeys, effectiveAt, isUsable, type Model, type ModelEnvironment } from "../model/model.ts"
import { byId } from "../model/views.ts"

const badKey = refused(401, "This API key is not valid")
const badRevision = refused(400, "A revision must be a whole number from 1 to 9007199254740991")
const unknownKeys = ["", "ek_", "nonsense", "é", `ek_${"0".repeat(46)}`, "__proto__"]

type Found = ReturnType<typeof allKeys>[number]

interface KeyCall<Drawn> {
  model: Model
  http: HttpClient
  drawn: Drawn
  authorization: string
}

/** A call made with an API key: a live one, a deleted one, or none at all. */
function commandsWithKey<Drawn>(
  call: Call,
  {
    weight,
    draw,
    run,
  }: {
    weight: number
    draw: Arbitrary<Drawn>
    run(call: KeyCall<Drawn>, found: Found | undefined): Promise<void>
  },
): CallCommands {
  const whose = fc.oneof({ weight: 12, arbitrary: fc.constant("live") }, fc.constantFrom("deleted", "unknown"))
  const commands = fc.tuple(whose, fc.nat(30), draw).map(([whose, index, drawn]) => ({
    text: `${call.method} ${call.path} with a ${whose} key ${index} ${fc.stringify(drawn)}`,
    async run(model: Model, http: HttpClient) {
      const live = allKeys(model)
      const found = whose === "live" ? live[index % Math.max(1, live.length)] : undefined
      const others = whose === "deleted" && model.deletedKeys.length > 0 ? model.deletedKeys : unknownKeys
      const key = found?.key.key ?? (others[index % others.length] as string)
      const authorization = `Bearer ${Buffer.from(key).toString("latin1")}`
      await run({ model, http, drawn, authorization }, found && isUsable(found.key) ? found : undefined)
    },
  }))
  return { weight, commands }
}

/** What the reader's If-None-Match header says that it already has. */
const cached = fc.constantFrom("nothing", "this", "this weakly", "this among others", "another", "anything", "nonsense")

export const variablesCommands = {
  read: commandsWithKey(variables.read, {
    weight: 12,
    draw: fc.record({
      format: fc.option(fc.constantFrom(...variableFormats), { nil: undefined }),
      cached,
      /** How many revisions ago; a negative one is still to come. */
      ago: fc.option(fc.integer({ min: -1, max: 8 }), { freq: 2, nil: undefined }),
    }),
    async run({ model, http, drawn, authorization }, found) {
      const current = found?.environment.revision ?? 1
      const revision = current - (drawn.ago ?? 0)
      const pairs = [
        ...(drawn.format === undefined ? [] : [`format=${drawn.format}`]),
        ...(drawn.ago === undefined ? [] : [`revision=${revision}`]),
      ]
      const query = pairs.length === 0 ? "" : `?${pairs.join("&")}`
      const format = drawn.format ?? "json"
      const state = found ? `${found.environment.id} ${revision} ${format}` : ""
      const etag = [...model.etags].find(([, meant]) => meant === state)?.[0]
      const ifNoneMatch = ifNoneMatchFor(drawn.cached, etag)
      const received = await http.send({
        method: "GET",
        path: `/api${variables.read.path}${query}`,
        headers: { authorization, ...(ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch }) },
      })
      if (revision < 1) return expectResponse(variables.read, badRevision, received)
      if (found === undefined) return expectResponse(variables.read, badKey, received)
      const list = drawn.ago === undefined ? variablesOf(found.environment) : pastVariables(found.environment, revision)
      if (!Array.isArray(list)) return expectResponse(variables.read, list, received)
      expectVariables(received, { ...found, model, format, revision, list, state, etag, ifNoneMatch })
    },
  }),

  key: commandsWithKey(variables.key, {
    weight: 3,
    draw: fc.constant({}),
    async run({ http, authorization }, found) {
      const received = await http.send({ method: "GET", path: `/api${variables.key.path}`, headers: { authorization } })
      if (found === undefined) return expectResponse(variables.key, badKey, received)
      const { key, environment, collection } = found
      const data = {
        name: key.name,
        environment: environment.name,
        collection: collection.name,
        revision: environment.revision,
      }
      expectResponse(variables.key, { data: () => data }, received)
    },
  }),

  watch: commandsWithKey(variables.watch, {
    weight: 1,
    draw: fc.constant({}),
    async run({ http, authorization }, found) {
      const hangUp = new AbortController()
      const url = `${http.origin}/api${variables.watch.path}`
      const response = await fetch(url, { headers: { authorization }, signal: hangUp.signal })
      if (found === undefined) {
        const headers = { "content-type": String(response.headers.get("content-type")) }
        return expectResponse(variables.watch, badKey, {
          status: response.status,
          headers,
          text: await response.text(),
        })
      }
      const { value: first } = await readEvents(response).next()
      hangUp.abort()
      expect(first).toEqual({ event: "revision", data: { revision: found.environment.revision } })
    },
  }),
}

function ifNoneMatchFor(cached: string, etag = '"none"'): string | undefined {
  if (cached === "this") return etag
  if (cached === "this weakly") return `W/${etag}`
  if (cached === "this among others") return `"x", ${etag},"y"`
  if (cached === "another") return '"0-0-json"'
  if (cached === "anything") return "*"
  return cached === "nonsense" ? "\u00ff,,W/" : undefined
}

interface Reading extends Found {
  model: Model
  format: VariableFormat
  revision: number
  list: Variable[]
  state: string
  etag: string | undefined
  ifNoneMatch: string | undefined
}

function expectVariables(
  received: HttpResponse,
  { model, key, format, revision, list, state, etag, ifNoneMatch }: Reading,
): void {
  const printed = formats[format].print(list)
  if ("refused" in printed) {
    expectResponse(variables.read, refused(422, new RegExp(`^The format ${format} cannot hold `)), received)
    return
  }
  key.used = true
  expect({ status: received.status, etag: received.headers.etag, cache: received.headers["cache-control"] }).toEqual({
    status: ifNoneMatch === "*" || (etag !== undefined && ifNoneMatch?.includes(etag)) ? 304 : 200,
    etag: etag ?? expect.stringMatching(/^"[^"]+"$/),
    cache: "no-store",
  })
  learnEtag(model, String(received.headers.etag), state)
  if (received.status === 304) {
    expect(received.text).toBe("")
    return
  }
  expect(received.headers["content-type"]).toBe(formats[format].mediaType)
  expect(received.headers["envkeep-revision"]).toBe(String(revision))
  expectText(received.text, format, list)
}

/** In the order of their ids. */
export const variablesOf = (environment: ModelEnvironment): Variable[] =>
  byId(effectiveAt(environment, environment.revision).items.values()).map(({ name, value }) => ({
    name,
    value: value ?? "",
  }))

function pastVariables(environment: ModelEnvironment, revision: number): Variable[] | Expected {
  if (!environment.states.has(revision)) return notFound("Revision")
  const { items, layers, isPruned } = effectiveAt(environment, revision)
  if (isPruned) return refused(410, sentences.inheritedPruned)
  if (!environment.isProtected && layers.some(({ isProtected }) => isProtected)) {
    return refused(410, sentences.inheritedProtected)
  }
  const list: Variable[] = []
  for (const { name, value } of byId(items.values())) {
    if (value === null)
      return refused(410, "A value of this revision was erased, so the revision can no longer be read")
    list.push({ name, value })
  }
  return list
}

/** An ETag always means the same state in the same format. */
function learnEtag(model: Model, etag: string, state: string): void {
  expect(model.etags.get(etag) ?? state).toBe(state)
  model.etags.set(etag, state)
}

/** JSON is compared after parsing it, formats that we can parse too, and all other formats with what we print. */
export function expectText(text: string, format: VariableFormat, list: Variable[]): void {
  if (format === "json") {
    const read = Object.entries(JSON.parse(text) as object)
    expect(new Map(read)).toEqual(new Map(list.map(({ name, value }) => [name, value])))
    expect(read).toHaveLength(list.length)
  }
  const known = formats[format]
  if ("parse" in known) expect(known.parse(text)).toEqual({ variables: list, faults: [] })
  else expect({ text }).toEqual(known.print(list))
}
