import type { KeyObject } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Db } from "../db/schema.ts"
import { tableNames } from "../db/stored-tables.ts"
import type { Seal } from "../db/table-entry.ts"
import { numberedTables, sealsOf } from "../db/table-lists.ts"
import type { Row } from "../db/table-rows.ts"
import { type NumberedTable, type TableName, tables } from "../db/tables.ts"
import { unseal } from "../keys/seal.ts"
import { unwrapDataKey } from "../keys/secrets.ts"
import { hashToken } from "../keys/token.ts"
import { type Finding, firstOf, maxNamed, ok, warning } from "./finding.ts"
import { nameOf, type PlacedRow, placedBatches } from "./placed-rows.ts"

/** Opens everything that is sealed, one batch at a time, and names what does not open. Never shows what does. */
export async function checkRows(db: Db, rootKeys: KeyObject[]): Promise<Finding[]> {
  const stored = await tableNames(db)
  const keysFor = createKeyFinder(rootKeys)
  const findings: Finding[] = []
  for (const table of numberedTables) {
    if (stored.has(table) && sealsOf(table).size > 0) findings.push(...(await checkTable(db, table, keysFor)))
  }
  return findings
}

async function checkTable(db: Db, table: NumberedTable, keysFor: KeyFinder): Promise<Finding[]> {
  const sentences: string[] = []
  let faults = 0
  let total = 0
  let unchecked = 0
  for await (const batch of placedBatches(db, table)) {
    total += batch.length
    for (const row of batch) {
      const found = faultsOf(table, row, keysFor)
      if (found === undefined) unchecked += 1
      else faults += found.length
      if (sentences.length < maxNamed) sentences.push(...(found ?? []))
    }
    await nextTurn()
  }
  const { one, many } = tables[table].words ?? { one: `row of the table ${table}`, many: `rows of the table ${table}` }
  const findings = firstOf(sentences, faults, (more) => `${more} more ${many} do not open`)
  if (unchecked > 0) {
    const ofAll = `Of ${total.toLocaleString("en-US")} ${total === 1 ? one : many}, ${unchecked.toLocaleString("en-US")} could not be checked`
    const others = faults === 0 && unchecked < total ? "; all others open" : ""
    findings.push(warning(`${ofAll}, because the key of their collection does not open${others}`))
  }
  if (findings.length > 0) return findings
  // What has no words is the server's own, and says something only if it is there.
  if (total === 0) return tables[table].words === undefined ? [] : [ok(`There is no ${one} to open`)]
  return [ok(total === 1 ? `The one ${one} opens` : `All ${total.toLocaleString("en-US")} ${many} open`)]
}

type Fault = "doesNotOpen" | "doesNotMatchHash"

const plainWords: Record<Fault, string> = {
  doesNotOpen: "does not open",
  doesNotMatchHash: "does not match its hash",
}

/** Undefined if the key of its collection does not open, which the collection's own finding says. */
function faultsOf(table: TableName, placed: PlacedRow, keysFor: KeyFinder): string[] | undefined {
  const { row } = placed
  const sentences: string[] = []
  for (const [column, seal] of sealsOf(table)) {
    const sealed = row[column]
    // Empty, or a column that the store does not have yet.
    if (sealed === null || sealed === undefined) continue
    const keys = keysFor(seal, placed)
    if (keys.length === 0) return undefined
    const fault = faultOf(seal, row, openWith(keys, sealed as Uint8Array, contextOf(seal, row)))
    if (fault === undefined) continue
    const name = nameOf(table, placed)
    sentences.push(seal[fault]?.(name) ?? `The column ${column} of the ${table} ${name} ${plainWords[fault]}`)
  }
  return sentences
}

function faultOf({ hash }: Seal, row: Row, opened: Buffer | undefined): Fault | undefined {
  if (opened === undefined) return "doesNotOpen"
  const matches = !hash || hashToken(opened.toString("utf8")) === row[hash]
  return matches ? undefined : "doesNotMatchHash"
}

function openWith(keys: readonly KeyObject[], sealed: Uint8Array, context: (string | number)[]): Buffer | undefined {
  for (const key of keys) {
    const opened = unseal(key, sealed, context)
    if (opened !== undefined) return opened
  }
  return undefined
}

function contextOf({ context }: Seal, row: Row): (string | number)[] {
  return context.map((part) => (typeof part === "string" ? part : (row[part.column] as string | number)))
}

/** The keys that may open a seal in this row. */
type KeyFinder = (seal: Seal, row: PlacedRow) => readonly KeyObject[]

function createKeyFinder(rootKeys: readonly KeyObject[]): KeyFinder {
  // Rows next to each other mostly share a collection, so its key is opened once for many of them.
  const known = new Map<number, readonly KeyObject[]>()
  return ({ by }, { ancestors }) => {
    if (by === "root key") return rootKeys
    const collection = ancestors.find(({ table }) => table === "collection")?.row
    if (collection === undefined) throw new Error("a value is sealed under a collection's key, but is in no collection")
    const id = Number(collection["id"])
    if (known.size > 1_000) known.clear()
    const keys = known.get(id) ?? collectionKey(rootKeys, id, collection["data_key"] as Uint8Array)
    known.set(id, keys)
    return keys
  }
}

function collectionKey(rootKeys: readonly KeyObject[], id: number, wrapped: Uint8Array): KeyObject[] {
  const key = unwrapDataKey(rootKeys, id, wrapped)
  return key === undefined ? [] : [key]
}
