import type { ConfirmNeeded } from "@envkeep/contract"

export type ConfirmWays = ConfirmNeeded["confirm"]

/** Asks the user to confirm. False if they do not want to. */
type Ask = (ways: ConfirmWays) => Promise<boolean>

let ask: Ask | undefined
let asking: Promise<boolean> | undefined

/** The screen that can ask. Returns what takes it away again. */
export function onConfirmNeeded(asker: Ask): () => void {
  ask = asker
  return () => {
    if (ask === asker) ask = undefined
  }
}

/** Calls that are refused at the same time are asked about once. */
export function confirmAgain(ways: ConfirmWays): Promise<boolean> {
  asking ??= (ask?.(ways) ?? Promise.resolve(false)).finally(() => {
    asking = undefined
  })
  return asking
}
