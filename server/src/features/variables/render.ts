import { sentences, type VariableFormat } from "@envkeep/contract"
import { formats } from "@envkeep/formats"
import { badKey, type KeyEnvironment } from "../../access/key-holder.ts"
import { nextTurn, type Pace, startPace } from "../../bounds/turns.ts"
import type { Core } from "../../db/core.ts"
import type { Reader } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import type { LookUp } from "../../http/text-answer.ts"
import { openSecret } from "../../keys/secrets.ts"
import { isErased, keptRevision, type Reached, stateAt } from "../environments/history/past.ts"
import type { RenderedVariables } from "./rendered.ts"
import * as store from "./store.ts"

/** Why a format cannot hold an environment, at one revision. */
export interface FormatRefusal {
  revision: number
  sentence: string
}

export async function render(
  core: Core,
  environment: KeyEnvironment,
  format: VariableFormat,
): Promise<RenderedVariables | FormatRefusal> {
  const rows = await rowsOfOneRevision(core.db, environment.holder.environmentId)
  return print(core, environment, { rows, revision: rows[0].revision, format })
}

/** As the environment was at a revision. In the order of ids, so that it is the same to the byte. */
export async function renderPast(
  core: Core,
  environment: KeyEnvironment,
  { revision, format, lookUp }: PastRead,
): Promise<RenderedVariables | FormatRefusal> {
  const reached = reachedBy(environment)
  // The rows must not be pruned while they are read.
  const read = () =>
    core.snapshot(async (snapshot) => {
      await keptRevision(snapshot, reached, revision)
      return stateAt(snapshot, reached, { revision })
    })
  const rows = (await lookUp(read)).sort((one, other) => one.itemId - other.itemId)
  // A program must not start without one of its values, and not learn why.
  if (rows.some(isErased)) throw new AppError("gone", sentences.revisionErased)
  return print(core, environment, { rows, revision, format })
}

export interface PastRead {
  revision: number
  format: VariableFormat
  lookUp: LookUp
}

export function reachedBy({ holder: { environmentId, collectionId } }: KeyEnvironment): Reached {
  return { id: environmentId, collectionId }
}

/** Opens and prints in pieces, between which other requests are served. */
async function print(
  core: Core,
  { holder: { environmentId, collectionId }, wrappedKey }: KeyEnvironment,
  {
    rows,
    revision,
    format,
  }: { rows: Pick<store.VariableRow, "name" | "sealedValue">[]; revision: number; format: VariableFormat },
): Promise<RenderedVariables | FormatRefusal> {
  const dataKey = await core.vault.dataKey(core.db, collectionId, wrappedKey)
  // Every value is lost, not just one: an application must not start with an empty environment.
  if (dataKey === undefined) throw new AppError("unprocessable", sentences.collectionKeyDamaged)
  const printer = formats[format].startPrinting()
  const text = collectText()
  const damaged: string[] = []
  const pace = startPace()
  for (const { name, sealedValue } of rows) {
    if (name === null || sealedValue === null) continue
    const value = openSecret(dataKey, sealedValue, { kind: "item", environmentId, name })
    if (value === null) damaged.push(name)
    else text.add(printer.add({ name, value }))
    if (pace.isDue()) await pace.turn()
  }
  const end = printer.end()
  if ("refused" in end) return { revision, sentence: refusalSentence(format, end.refused) }
  text.add(end.text)
  const body = await text.bytes(pace)
  // The environment's id is part of it, so that a reader whose key now opens another environment gets no 304.
  const etag = etagOf(environmentId, revision, format)
  return { environmentId, collectionId, revision, format, etag, bodyBytes: body.length, damaged: listed(damaged), body }
}

export function etagOf(environmentId: number, revision: number, format: VariableFormat): string {
  return `"${environmentId}-${revision}-${format}"`
}

const rowsPerBatch = 500
const maxTries = 3

/** Every change raises the revision, so batches of the same revision belong together. In the order of ids. */
async function rowsOfOneRevision(
  db: Reader,
  environmentId: number,
): Promise<[store.VariableRow, ...store.VariableRow[]]> {
  for (let tries = 1; ; tries++) {
    // One statement always belongs together. It holds up other requests, so it is only for what changes all the time.
    const rows = await rowsInBatches(db, environmentId, tries <= maxTries ? rowsPerBatch : Number.MAX_SAFE_INTEGER)
    const [first, ...others] = rows.sort((one, other) => (one.id ?? 0) - (other.id ?? 0))
    if (first === undefined) throw badKey()
    if (others.every(({ revision }) => revision === first.revision)) return [first, ...others]
  }
}

async function rowsInBatches(db: Reader, environmentId: number, maxRows: number): Promise<store.VariableRow[]> {
  const all: store.VariableRow[] = []
  for (;;) {
    const afterName = all.at(-1)?.name ?? undefined
    const batch = await store.variableRows(db, environmentId, { afterName, maxRows })
    for (const row of batch) all.push(row)
    if (batch.length < maxRows) return all
    await nextTurn()
  }
}

const chunkLength = 64 * 1024

/** Collects text as bytes: one long string would be copied again and again, and copied at once when it is encoded. */
function collectText(): { add(piece: string): void; bytes(pace: Pace): Promise<Buffer> } {
  const chunks: Buffer[] = []
  let text = ""
  let length = 0
  const flush = () => {
    const chunk = Buffer.from(text)
    chunks.push(chunk)
    length += chunk.length
    text = ""
  }
  return {
    add(piece) {
      text += piece
      if (text.length >= chunkLength) flush()
    },
    async bytes(pace) {
      flush()
      const [first] = chunks
      if (first !== undefined && chunks.length === 1) return first
      const all = Buffer.allocUnsafeSlow(length)
      let at = 0
      for (const chunk of chunks) {
        at += chunk.copy(all, at)
        if (pace.isDue()) await pace.turn()
      }
      return all
    },
  }
}

const maxShownRefusals = 10

/** A variable that does not fit the format is refused by name; another format may take it. */
function refusalSentence(format: VariableFormat, refused: { name: string; reason: string }[]): string {
  const reasons = refused.slice(0, maxShownRefusals).map(({ name, reason }) => `${name} (${reason})`)
  const more = refused.length - reasons.length
  const list = more > 0 ? `${reasons.join(", ")} and ${more} more` : reasons.join(", ")
  return `The format ${format} cannot hold ${list}`
}

const maxHeaderLength = 4_000

/** As many names as fit a header safely, then three dots for the rest. */
function listed(names: string[]): string {
  let list = ""
  for (const name of names) {
    const longer = list === "" ? encodeURIComponent(name) : `${list},${encodeURIComponent(name)}`
    if (longer.length > maxHeaderLength) return `${list},...`
    list = longer
  }
  return list
}
