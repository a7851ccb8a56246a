import { exitCodes, StartError } from "../start-error.ts"

/** What the doctor says about one thing, in one sentence. */
export interface Finding {
  kind: "ok" | "warning" | "fault"
  sentence: string
  /** The exit code of the command if this is its first fault. */
  exitCode: number
}

export const ok = (sentence: string): Finding => ({ kind: "ok", sentence, exitCode: 0 })

/** Something to know about, or to do some day. */
export const warning = (sentence: string): Finding => ({ kind: "warning", sentence, exitCode: 0 })

export const fault = (sentence: string, exitCode: number = exitCodes.failure): Finding => ({
  kind: "fault",
  sentence,
  exitCode,
})

/** A check that fails is a fault itself, and does not stop the others. */
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

/** Users choose names, so nothing in them may move the cursor of a terminal. */
export function printable(name: string): string {
  return name.replaceAll(/\p{Cc}+/gu, " ")
}
