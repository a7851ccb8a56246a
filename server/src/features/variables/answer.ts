import { staleHeaderName } from "@envkeep/contract"
import { formats } from "@envkeep/formats"
import type { TextAnswer } from "../../http/text-answer.ts"
import { matchesEtag, maxStringBytes, type Rendered } from "./rendered.ts"
import type { Read } from "./rules.ts"

/** Makes the answer to a read, before and behind the router alike: 304 if the reader already has it. */
export type AnswerRead = (read: Read, ifNoneMatch: string | undefined) => TextAnswer

/** They describe the body, or repeat what a reader that gets a 304 already knows. */
const notIn304 = [
  "content-type",
  "content-length",
  "envkeep-revision",
  "content-security-policy",
  "x-content-type-options",
]

export function answerReads(securityHeaders: Record<string, string>): AnswerRead {
  return (read, ifNoneMatch) => {
    const { rendered } = read
    rendered.answers ??= prepare(rendered)
    const { found, unchanged } = rendered.answers
    const answer = matchesEtag(ifNoneMatch, rendered.etag) ? unchanged : found
    return read.staleSeconds === undefined ? answer : withStaleHeader(answer, read.staleSeconds)
  }

  function prepare(rendered: Rendered) {
    const { format, revision, etag, bodyBytes, damaged } = rendered
    const headers = {
      ...securityHeaders,
      "content-type": formats[format].mediaType,
      "envkeep-revision": String(revision),
      ...(damaged === "" ? {} : { "envkeep-damaged": damaged }),
      etag,
      "content-length": String(bodyBytes),
    }
    const unchanged = Object.entries(headers).filter(([name]) => !notIn304.includes(name))
    const body = "body" in rendered ? bodyToSend(rendered.body) : ""
    return { found: textAnswer(200, headers, body), unchanged: textAnswer(304, Object.fromEntries(unchanged), "") }
  }
}

/**
 * Node sends a string together with the headers, and a buffer in a second write. Latin-1 keeps the bytes. A string is
 * copied for each connection, so all readers of a large body share its buffer.
 */
function bodyToSend(body: Buffer): string | Buffer {
  return body.length <= maxStringBytes ? body.toString("latin1") : body
}

function textAnswer(status: TextAnswer["status"], headers: Record<string, string>, body: string | Buffer): TextAnswer {
  return { status, headers: Object.entries(headers).flat(), body }
}

function withStaleHeader(answer: TextAnswer, seconds: number): TextAnswer {
  return { ...answer, headers: [...answer.headers, staleHeaderName, String(seconds)] }
}
