import type { VariableFormat } from "@envkeep/contract"
import type { KeyHolder } from "../../access/key-holder.ts"

/** The variables of one environment at one revision in one format, ready to send. */
export interface RenderedVariables {
  environmentId: number
  collectionId: number
  revision: number
  format: VariableFormat
  etag: string
  body: Buffer
  /** Names whose stored values cannot be opened. They are not in the body. */
  damaged: string[]
}

/** The result of a load: the bytes, and for which key. */
export interface Loaded {
  holder: KeyHolder
  rendered: RenderedVariables
}
