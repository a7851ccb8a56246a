import { staleHeaderName } from "@envkeep/contract"
import { formats } from "@envkeep/formats"
import type { TextAnswer } from "../../http/text-answer.ts"
import type { RenderedVariables } from "./rendered.ts"
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
  // Made once per revision, and collected together with the rendered variables.
  const prepared = new WeakMap<RenderedVariables, { found: TextAnswer; unchanged: TextAnswer }>()

  return (read, ifNoneMatch) => {
    let answers = prepared.get(read.rendered)
    if (answers === undefined) {
      answers = prepare(read.rendered)
      prepared.set(read.rendered, answers)
    }
    const answer = matchesEtag(ifNoneMatch, read.rendered.etag) ? answers.unchanged : answers.found
    return read.staleSeconds === undefined ? answer : withStaleHeader(answer, read.staleSeconds)
  }

  function prepare({ format, revision, etag, body, damaged }: RenderedVariables) {
    const headers = {
      ...securityHeaders,
      "content-type": formats[format].mediaType,
      "envkeep-revision": String(revision),
      ...(damaged.length > 0 ? { "envkeep-damaged": listedNames(damaged) } : {}),
      etag,
      "content-length": String(body.length),
    }
    const unchanged = Object.entries(headers).filter(([name]) => !notIn304.includes(name))
    // Node sends a string together with the headers, and a buffer in a second write. Latin-1 keeps the bytes.
    const text = body.toString("latin1")
    return { found: textAnswer(200, headers, text), unchanged: textAnswer(304, Object.fromEntries(unchanged), "") }
  }
}

function textAnswer(status: TextAnswer["status"], headers: Record<string, string>, body: string): TextAnswer {
  return { status, headers: Object.entries(headers).flat(), body }
}

function withStaleHeader(answer: TextAnswer, seconds: number): TextAnswer {
  return { ...answer, headers: [...answer.headers, staleHeaderName, String(seconds)] }
}

function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  return ifNoneMatch.split(",").some((one) => ["*", etag].includes(one.trim().replace(/^W\//, "")))
}

const maxHeaderLength = 4_000

/** As many names as fit a header safely, then three dots for the rest. */
function listedNames(names: string[]): string {
  const list = names.map(encodeURIComponent).join(",")
  return list.length <= maxHeaderLength ? list : `${list.slice(0, list.lastIndexOf(",", maxHeaderLength))},...`
}
