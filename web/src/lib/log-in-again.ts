import { useEffect, useId } from "react"

/** Asks the user to log in again. False if they want to leave what they have typed, or if they are gone. */
type Ask = () => Promise<boolean>

let ask: Ask | undefined
let asking: Promise<boolean> | undefined

/** Which components hold something that was typed and is not saved. */
const typedIn = new Set<string>()

/** Tells whether this component holds something that the end of the session must not take away. */
export function useTyped(isTyped: boolean): void {
  const source = useId()
  useEffect(() => {
    if (!isTyped) return
    typedIn.add(source)
    return () => {
      typedIn.delete(source)
    }
  }, [source, isTyped])
}

/** The screen that can ask. Returns what takes it away again: a question that is open then is answered with no. */
export function onSessionLost(asker: Ask): () => void {
  const gone = Promise.withResolvers<boolean>()
  const askOrGone: Ask = () => Promise.race([asker(), gone.promise])
  ask = askOrGone
  return () => {
    gone.resolve(false)
    if (ask === askOrGone) ask = undefined
  }
}

/**
 * Resolves to whether the user has logged in again, once for all calls that are refused meanwhile. Undefined if nothing that
 * was typed would be lost: then the login page is shown.
 */
export function logInAgain(): Promise<boolean> | undefined {
  if (asking === undefined && (typedIn.size === 0 || ask === undefined)) return undefined
  asking ??= ask?.().finally(() => {
    asking = undefined
  })
  return asking
}
