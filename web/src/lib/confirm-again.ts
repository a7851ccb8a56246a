import type { ConfirmNeeded } from "@envkeep/contract"

export type ConfirmWays = ConfirmNeeded["confirm"]

/** Asks the user to confirm. False if they do not want to. */
type Ask = (ways: ConfirmWays) => Promise<boolean>

let ask: Ask | undefined
let asking: Promise<boolean> | undefined

/** The screen that can ask. Returns what takes it away again: a question that is open then is answered with no. */
export function onConfirmNeeded(asker: Ask): () => void {
  const gone = Promise.withResolvers<boolean>()
  const askOrGone: Ask = (ways) => Promise.race([asker(ways), gone.promise])
  ask = askOrGone
  return () => {
    gone.resolve(false)
    if (ask === askOrGone) ask = undefined
  }
}

/** Calls that are refused at the same time are asked about once. */
export function confirmAgain(ways: ConfirmWays): Promise<boolean> {
  asking ??= (ask?.(ways) ?? Promise.resolve(false)).finally(() => {
    asking = undefined
  })
  return asking
}
