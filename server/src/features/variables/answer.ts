import { staleHeaderName } from "@envkeep/contract"
import { formats } from "@envkeep/formats"
import type { TextAnswer } from "../../http/text-answer.ts"
import type { Finished } from "./finished.ts"
import type { Read } from "./rules.ts"

/** Makes the answer to a read, the same before and behind the router; 304 when the reader already has it. */
export type AnswerRead = (read: Read, ifNoneMatch: string | undefined) => TextAnswer

/** What a reader that holds the same state does not need again; the rest is about a body that a 304 does not have. */
const notInUnchanged = [
  "content-type",
  "content-length",
  "envkeep-revision",
  "content-security-policy",
  "x-content-type-options",
]

export function answerReads(securityHeaders: Record<string, string>): AnswerRead {
  // Made once per revision; goes when the finished bytes are forgotten.
  const prepared = new WeakMap<Finished, { found: TextAnswer; unchanged: TextAnswer }>()

  return (read, ifNoneMatch) => {
    let answers = prepared.get(read.finished)
    if (answers === undefined) {
      answers = prepare(read.finished)
      prepared.set(read.finished, answers)
    }
    const answer = matchesEtag(ifNoneMatch, read.finished.etag) ? answers.unchanged : answers.found
    return read.staleSeconds === undefined ? answer : withStaleHeader(answer, read.staleSeconds)
  }

  function prepare({ format, revision, etag, body, damaged }: Finished) {
    const headers = {
      ...securityHeaders,
      "content-type": formats[format].mediaType,
      "envkeep-revision": String(revision),
      ...(damaged.length > 0 ? { "envkeep-damaged": listedNames(damaged) } : {}),
      etag,
      "content-length": String(body.length),
    }
    const unchanged = Object.entries(headers).filter(([name]) => !notInUnchanged.includes(name))
    // A string goes out in one piece with the headers, a buffer in a second one. Latin-1 keeps its bytes.
    const text = body.toString("latin1")
    return { found: textAnswer(200, headers, text), unchanged: textAnswer(304, Object.fromEntries(unchanged), "") }
  }
}

function textAnswer(status: TextAnswer["status"], headers: Record<string, string>, body: string): TextAnswer {
  return { status, headers: Object.entries(headers).flat(), body }
}

/** Says that the answer could not be checked, and for how long. */
function withStaleHeader(answer: TextAnswer, seconds: number): TextAnswer {
  return { ...answer, headers: [...answer.headers, staleHeaderName, String(seconds)] }
}

/** Whether an `If-None-Match` names this ETag. */
function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  return ifNoneMatch.split(",").some((held) => ["*", etag].includes(held.trim().replace(/^W\//, "")))
}

const maxHeaderLength = 4_000

/** As many names as a header can safely hold; three dots stand for the rest. */
function listedNames(names: string[]): string {
  const list = names.map(encodeURIComponent).join(",")
  return list.length <= maxHeaderLength ? list : `${list.slice(0, list.lastIndexOf(",", maxHeaderLength))},...`
}
