import { sentences, type VariableFormat } from "@envkeep/contract"
import { formats } from "@envkeep/formats"
import { badKey, type KeyEnvironment } from "../../access/key-holder.ts"
import { inBatches } from "../../bounds/batches.ts"
import { eachWithPauses } from "../../bounds/turns.ts"
import type { Core } from "../../core/core.ts"
import type { Reader } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import type { LookUp } from "../../http/text-answer.ts"
import { openSecret } from "../../keys/secrets.ts"
import { effectiveState, isErased, type PastState, pastState, type Reached } from "../environments/history/past.ts"
import { baseIdsOf } from "../environments/inheritance/rules.ts"
import { etagOf } from "./etag.ts"
import type { Refused, RenderedVariables } from "./rendered.ts"
import * as store from "./store.ts"

export async function render(
  core: Core,
  environment: KeyEnvironment,
  format: VariableFormat,
): Promise<RenderedVariables | Refused> {
  const { environmentId } = environment.holder
  const own = environment.baseId === null ? await rowsOfOneRevision(core.db, environmentId) : undefined
  // It may have got a base since the key was looked up.
  const rows = own?.[0].baseId === null ? own : await rowsWithInherited(core, environmentId)
  return print(core, environment, { rows, revision: rows[0].revision, format })
}

/** As the environment was at a revision. In the order of ids, so that it is the same to the byte. */
export async function renderPast(
  core: Core,
  environment: KeyEnvironment,
  { revision, format, lookUp }: PastRead,
): Promise<RenderedVariables | Refused> {
  const reached = reachedBy(environment)
  // The rows must not be pruned while they are read.
  const read = () =>
    core.snapshot(async (snapshot) => {
      const past = await pastState(snapshot, reached, revision)
      refuseIfOutOfSight(past)
      return effectiveState(snapshot, past.layers)
    })
  const rows = (await lookUp(read)).sort((one, other) => one.itemId - other.itemId)
  // A program must not start without one of its values, and not learn why.
  if (rows.some(isErased)) throw new AppError("gone", sentences.revisionErased)
  return print(core, environment, { rows, revision, format })
}

/** What is missing, or is protected while the environment that inherited it no longer is, must not be read with its keys. */
export function refuseIfOutOfSight({ layers: [own, ...bases], isInheritedPruned }: PastState): void {
  if (isInheritedPruned) throw new AppError("gone", sentences.inheritedPruned)
  if (!own.isProtected && bases.some((base) => base.isProtected))
    throw new AppError("gone", sentences.inheritedProtected)
}

export interface PastRead {
  revision: number
  format: VariableFormat
  lookUp: LookUp
}

export function reachedBy({ holder: { environmentId, collectionId } }: KeyEnvironment): Reached {
  return { id: environmentId, collectionId }
}

type PrintedRow = Pick<store.VariableRow, "environmentId" | "name" | "sealedValue">

/** Opens and prints in pieces, between which other requests are served. */
async function print(
  core: Core,
  { holder: { environmentId, collectionId }, wrappedKey }: KeyEnvironment,
  { rows, revision, format }: { rows: PrintedRow[]; revision: number; format: VariableFormat },
): Promise<RenderedVariables | Refused> {
  const dataKey = await core.vault.dataKey(core.db, collectionId, wrappedKey)
  // Every value is lost, not just one: an application must not start with an empty environment.
  if (dataKey === undefined) throw new AppError("unprocessable", sentences.collectionKeyDamaged)
  const printer = formats[format].startPrinting()
  const text = collectText()
  const damaged: string[] = []
  await eachWithPauses(rows, ({ environmentId: setIn, name, sealedValue }) => {
    if (setIn === null || name === null || sealedValue === null) return
    const value = openSecret(dataKey, sealedValue, { kind: "item", environmentId: setIn, name })
    if (value === null) damaged.push(name)
    else text.add(printer.add({ name, value }))
  })
  const end = printer.end()
  const of = { environmentId, collectionId, revision, format }
  if ("refused" in end) return { ...of, sentence: refusalSentence(format, end.refused) }
  text.add(end.text)
  const body = await text.bytes()
  const etag = etagOf(environmentId, revision, format)
  return { ...of, etag, bodyBytes: body.length, damaged: listed(damaged), body }
}

const rowsPerBatch = 500
const maxTries = 3

type Rows = [store.VariableRow, ...store.VariableRow[]]

/**
 * The rows of an environment and those that it inherits, all of one moment. In the order of ids, whatever environment
 * they are of. The first row tells the environment's revision, even if it has no items.
 */
function rowsWithInherited(core: Core, environmentId: number): Promise<Rows> {
  return core.snapshot(async (snapshot) => {
    const own = await rowsInBatches(snapshot, environmentId, rowsPerBatch)
    const [first] = own
    if (first === undefined) throw badKey()
    const found = new Map(own.map((row) => [row.name, row]))
    for (const baseId of await baseIdsOf(snapshot, environmentId)) {
      for (const row of await rowsInBatches(snapshot, baseId, rowsPerBatch)) {
        if (!found.has(row.name)) found.set(row.name, { ...row, revision: first.revision })
      }
    }
    const [lowest = first, ...others] = [...found.values()].sort(byId)
    return [lowest, ...others]
  })
}

function byId(one: store.VariableRow, other: store.VariableRow): number {
  return (one.id ?? 0) - (other.id ?? 0)
}

/** Every change raises the revision, so batches of the same revision belong together. In the order of ids. */
async function rowsOfOneRevision(db: Reader, environmentId: number): Promise<Rows> {
  for (let tries = 1; ; tries++) {
    // One statement always belongs together. It holds up other requests, so it is only for what changes all the time.
    const rows = await rowsInBatches(db, environmentId, tries <= maxTries ? rowsPerBatch : Number.MAX_SAFE_INTEGER)
    const [first, ...others] = rows.sort(byId)
    if (first === undefined) throw badKey()
    if (others.every(({ revision }) => revision === first.revision)) return [first, ...others]
  }
}

function rowsInBatches(db: Reader, environmentId: number, maxRows: number): Promise<store.VariableRow[]> {
  return inBatches(maxRows, (last: store.VariableRow | undefined) =>
    store.variableRows(db, environmentId, { afterName: last?.name ?? undefined, maxRows }),
  )
}

const chunkLength = 64 * 1024

/** Collects text as bytes: one long string would be copied again and again, and copied at once when it is encoded. */
function collectText(): { add(piece: string): void; bytes(): Promise<Buffer> } {
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
    async bytes() {
      flush()
      const [first] = chunks
      if (first !== undefined && chunks.length === 1) return first
      const all = Buffer.allocUnsafeSlow(length)
      let at = 0
      await eachWithPauses(chunks, (chunk) => {
        at += chunk.copy(all, at)
      })
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
