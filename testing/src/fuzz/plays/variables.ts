import { type Call, type VariableFormat, variableFormats, variables } from "@envkeep/contract"
import { formats, type Variable } from "@envkeep/formats"
import fc, { type Arbitrary } from "fast-check"
import { expect } from "vitest"
import { readEvents } from "../../events.ts"
import { allKeys, type Model, type ModelEnvironment } from "../model/model.ts"
import { agree, type Play, refused } from "../model/play.ts"
import { byId } from "../model/views.ts"
import type { Received, Wire } from "../wire.ts"

const badKey = refused(401, "This API key is not valid")
const nobodysKeys = ["", "ek_", "nonsense", "é", `ek_${"0".repeat(46)}`, "__proto__"]

type Found = ReturnType<typeof allKeys>[number]

interface Asked<Drawn> {
  model: Model
  wire: Wire
  drawn: Drawn
  authorization: string
}

/** A call made with an API key: a live one, a deleted one, or none at all. */
function keyPlay<Drawn>(
  call: Call,
  {
    weight,
    draw,
    run,
  }: {
    weight: number
    draw: Arbitrary<Drawn>
    run(asked: Asked<Drawn>, found: Found | undefined): Promise<void>
  },
): Play {
  const whose = fc.oneof({ weight: 12, arbitrary: fc.constant("live") }, fc.constantFrom("ended", "nobody's"))
  const turns = fc.tuple(whose, fc.nat(30), draw).map(([whose, index, drawn]) => ({
    text: `${call.method} ${call.path} with a ${whose} key ${index} ${fc.stringify(drawn)}`,
    async run(model: Model, wire: Wire) {
      const live = allKeys(model)
      const found = whose === "live" ? live[index % Math.max(1, live.length)] : undefined
      const others = whose === "ended" && model.endedKeys.length > 0 ? model.endedKeys : nobodysKeys
      const key = found?.key.key ?? (others[index % others.length] as string)
      const authorization = `Bearer ${Buffer.from(key).toString("latin1")}`
      await run({ model, wire, drawn, authorization }, found)
    },
  }))
  return { weight, turns }
}

/** What the reader says it already has. */
const held = fc.constantFrom("nothing", "this", "this weakly", "this among others", "another", "anything", "nonsense")

export const variablesPlays = {
  read: keyPlay(variables.read, {
    weight: 12,
    draw: fc.record({ format: fc.option(fc.constantFrom(...variableFormats), { nil: undefined }), held }),
    async run({ model, wire, drawn, authorization }, found) {
      const query = drawn.format === undefined ? "" : `?format=${drawn.format}`
      const format = drawn.format ?? "json"
      const state = found ? `${found.environment.id} ${found.environment.revision} ${format}` : ""
      const etag = [...model.etags].find(([, meant]) => meant === state)?.[0]
      const ifNoneMatch = heldHeader(drawn.held, etag)
      const received = await wire.send({
        method: "GET",
        path: `/api${variables.read.path}${query}`,
        headers: { authorization, ...(ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch }) },
      })
      if (found === undefined) return agree(variables.read, badKey, received)
      expectVariables(received, { ...found, model, format, state, etag, ifNoneMatch })
    },
  }),

  key: keyPlay(variables.key, {
    weight: 3,
    draw: fc.constant({}),
    async run({ wire, authorization }, found) {
      const received = await wire.send({ method: "GET", path: `/api${variables.key.path}`, headers: { authorization } })
      if (found === undefined) return agree(variables.key, badKey, received)
      const { key, environment, collection } = found
      const data = {
        name: key.name,
        environment: environment.name,
        collection: collection.name,
        revision: environment.revision,
      }
      agree(variables.key, { data: () => data }, received)
    },
  }),

  watch: keyPlay(variables.watch, {
    weight: 1,
    draw: fc.constant({}),
    async run({ wire, authorization }, found) {
      const hangUp = new AbortController()
      const url = `${wire.origin}/api${variables.watch.path}`
      const response = await fetch(url, { headers: { authorization }, signal: hangUp.signal })
      if (found === undefined) {
        const headers = { "content-type": String(response.headers.get("content-type")) }
        return agree(variables.watch, badKey, { status: response.status, headers, text: await response.text() })
      }
      const { value: first } = await readEvents(response).next()
      hangUp.abort()
      expect(first).toEqual({ event: "revision", data: { revision: found.environment.revision } })
    },
  }),
}

function heldHeader(held: string, etag = '"none"'): string | undefined {
  if (held === "this") return etag
  if (held === "this weakly") return `W/${etag}`
  if (held === "this among others") return `"x", ${etag},"y"`
  if (held === "another") return '"0-0-json"'
  if (held === "anything") return "*"
  return held === "nonsense" ? "\u00ff,,W/" : undefined
}

interface Reading extends Found {
  model: Model
  format: VariableFormat
  state: string
  etag: string | undefined
  ifNoneMatch: string | undefined
}

function expectVariables(
  received: Received,
  { model, environment, key, format, state, etag, ifNoneMatch }: Reading,
): void {
  const list = variablesOf(environment)
  const printed = formats[format].print(list)
  if ("refused" in printed) {
    agree(variables.read, refused(422, new RegExp(`^The format ${format} cannot hold `)), received)
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
  expect(received.headers["envkeep-revision"]).toBe(String(environment.revision))
  expectText(received.text, format, list)
}

/** In the order in which the store gave their ids. */
export const variablesOf = ({ items }: ModelEnvironment): Variable[] =>
  byId(items.values()).map(({ name, value }) => ({ name, value }))

/** One ETag is one state in one format, for ever. */
function learnEtag(model: Model, etag: string, state: string): void {
  expect(model.etags.get(etag) ?? state).toBe(state)
  model.etags.set(etag, state)
}

/** JSON is compared as any reader has it; what we can read ourselves, as we read it; the rest with what is to be printed. */
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
