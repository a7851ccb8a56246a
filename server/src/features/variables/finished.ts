import type { VariableFormat } from "@envkeep/contract"
import type { KeyHolder } from "../../access/key-holder.ts"

/** The variables of one environment at one revision in one format, ready to be sent. */
export interface Finished {
  environmentId: number
  collectionId: number
  revision: number
  format: VariableFormat
  etag: string
  body: Buffer
  /** Names whose stored values cannot be opened; they are not in the body. */
  damaged: string[]
}

/** What a load gives: the bytes, and for whom. */
export interface Loaded {
  holder: KeyHolder
  finished: Finished
}
