import type { VariableFormat } from "@envkeep/contract"
import type { KeyHolder } from "../../access/key-holder.ts"
import type { TextAnswer } from "../../http/text-answer.ts"

/** What a reader learns about the variables of one environment at one revision in one format, without their values. */
export interface RenderedHead {
  environmentId: number
  collectionId: number
  revision: number
  format: VariableFormat
  etag: string
  bodyBytes: number
  /** The names whose stored values cannot be opened, as the header lists them. They are not in the body. */
  damaged: string
  /** The answers that this makes, since the first of them. */
  answers?: { found: TextAnswer; unchanged: TextAnswer }
}

/** The variables themselves, ready to send. */
export interface RenderedVariables extends RenderedHead {
  body: Buffer
}

/** Without a body for a reader that needs none, or if it is too large to be kept. */
export type Rendered = RenderedHead | RenderedVariables

/** Why a format cannot hold an environment, at one revision. */
export interface Refused extends Pick<RenderedHead, "environmentId" | "collectionId" | "revision" | "format"> {
  sentence: string
}

export function withoutBody(known: Rendered | Refused): RenderedHead | Refused {
  if (!("body" in known)) return known
  const { body: _, answers: __, ...head } = known
  return head
}

/** The result of a load, and for which key. */
export interface Loaded {
  holder: KeyHolder
  rendered: Rendered
}

/** The same with the body. */
export interface Found extends Loaded {
  rendered: RenderedVariables
}

/** Up to here a body is sent as a string, together with its headers, and kept in both forms. */
export const maxStringBytes = 16 * 1024

/** What a body takes in memory, however many readers it is being sent to. */
export function memoryBytes({ bodyBytes }: RenderedHead): number {
  return bodyBytes <= maxStringBytes ? bodyBytes * 2 : bodyBytes
}

/** What a reader has already, and whether it wants more than the headers. */
export interface ReadCondition {
  ifNoneMatch: string | undefined
  isHead: boolean
}

export function wantsBody({ etag }: RenderedHead, { ifNoneMatch, isHead }: ReadCondition): boolean {
  return !isHead && !matchesEtag(ifNoneMatch, etag)
}

/** An ETag cannot contain quotes, so ours, which is in quotes, is in the list or nowhere. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch === etag || ifNoneMatch.includes(etag) || ifNoneMatch.trim() === "*"
}
