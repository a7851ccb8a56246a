import type { Level } from "@envkeep/contract"
import type { Action } from "../access/actions.ts"
import type { Caller } from "../access/caller.ts"
import type { Tx } from "../db/schema.ts"

/** What a change is about. Names and ids only, never a value. */
export interface Subject {
  userId?: number
  collectionId?: number
  environmentId?: number
  apiKeyId?: number
  productId?: number
  team?: { id: number; name: string }
  /** The environment that items were copied from. */
  source?: { id: number; name: string }
  /** That was given to a member or team. */
  role?: Level
  /** Of a webhook's receiver: the rest of its URL may be secret. */
  webhookHost?: string
  /** The items' names, or a passkey's. */
  names?: readonly string[]
  /** Names that are known, or of what is no longer stored when the event is written. The others are looked up. */
  username?: string
  collectionName?: string
  environmentName?: string
  apiKeyName?: string
  tokenName?: string
  /** How much or how many. */
  counts?: Readonly<Record<string, number>>
}

/** An entry of the audit trail. */
export interface ChangeEvent {
  caller: Caller
  action: Action
  subject: Subject
}

/** Writes an event in the transaction of its change, and returns how many deliveries to webhooks it has queued. */
export type Recorder = (tx: Tx, event: ChangeEvent) => Promise<number>
