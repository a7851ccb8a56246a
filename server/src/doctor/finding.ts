import { exitCodes, StartError } from "../start/start-error.ts"

/** What the doctor has to say about one thing, in one sentence. */
export interface Finding {
  kind: "ok" | "warning" | "fault"
  sentence: string
  /** What a fault makes of the whole. */
  exitCode: number
}

export const ok = (sentence: string): Finding => ({ kind: "ok", sentence, exitCode: 0 })

/** Something to know of, or to do some day. */
export const warning = (sentence: string): Finding => ({ kind: "warning", sentence, exitCode: 0 })

export const fault = (sentence: string, exitCode: number = exitCodes.failure): Finding => ({
  kind: "fault",
  sentence,
  exitCode,
})

/** A check that cannot be made is a fault of its own, and no reason to leave out the others. */
export async function attempt(what: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    if (error instanceof StartError) return [fault(error.message, error.exitCode)]
    return [fault(`${what} could not be checked: ${(error as Error).message}`)]
  }
}

/** So many faults of one kind are named one by one; the rest are counted. */
export const maxNamed = 20

export function firstOf(sentences: string[], count: number, rest: (more: string) => string): Finding[] {
  const named = sentences.slice(0, maxNamed).map((sentence) => fault(sentence))
  return count > named.length ? [...named, fault(rest((count - named.length).toLocaleString("en-US")))] : named
}

/** Names are other people's words: nothing in them may move a terminal's cursor. */
export function shown(name: string): string {
  return name.replaceAll(/\p{Cc}+/gu, " ")
}
