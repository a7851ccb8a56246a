import { createHmac, type KeyObject } from "node:crypto"
import type { Selectable } from "kysely"
import type { Schema } from "../db/schema.ts"

export type EventRow = Selectable<Schema["audit_event"]>
export type ChainRow = Selectable<Schema["audit_chain"]>

/** Everything in an event that the chain protects, in the order in which it is encoded. A new column gets a new version. */
export const chainedColumns = [
  "id",
  "created_at",
  "action",
  "actor",
  "actor_id",
  "actor_name",
  "account_id",
  "account_name",
  "address",
  "client",
  "collection_id",
  "collection_name",
  "environment_id",
  "environment_name",
  "api_key_id",
  "api_key_name",
  "details",
] as const satisfies (keyof EventRow)[]

export type ChainedContent = Pick<EventRow, (typeof chainedColumns)[number]>

const version = 1

/** Proves an event, its position, and through the one before it every earlier event. JSON keeps the parts apart. */
export function macOf(key: KeyObject, event: ChainedContent, position: number, previousMac: string): string {
  return hmac(key, ["event", version, position, previousMac, ...chainedColumns.map((column) => event[column])])
}

/** Proves where the chain begins and ends, so that neither end can be cut off unnoticed. */
export function signatureOf(key: KeyObject, chain: Omit<ChainRow, "id" | "sealed_key" | "signature">): string {
  return hmac(key, ["chain", version, chain.position, chain.mac, chain.start_position, chain.start_mac])
}

function hmac(key: KeyObject, content: readonly unknown[]): string {
  return createHmac("sha256", key).update(JSON.stringify(content)).digest("hex")
}

/** The newest chained event, as it is shown to people and written into backups. */
export interface ChainHead {
  position: number
  mac: string
}

export function headText({ position, mac }: ChainHead): string {
  return `${position}:${mac}`
}

/** Undefined if it is not a head. */
export function parseHead(text: string): ChainHead | undefined {
  const [, position, mac] = /^([1-9]\d{0,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? []
  return position === undefined || mac === undefined ? undefined : { position: Number(position), mac }
}
