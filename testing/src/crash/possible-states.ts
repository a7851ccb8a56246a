import type { Outcome } from "./clients.ts"

/**
 * The states that the store can be in: one, or two while the outcome of the last write is unknown. States are compared as
 * a whole, so half of a write matches neither.
 */
export interface PossibleStates<State> {
  /** The state to continue from; undefined while there are two, when nothing more may be written. */
  current(): State | undefined
  all(): State[]
  /** Records the outcome of a write that leads to `next`. */
  record(outcome: Outcome<unknown>, next: State): void
  /** Continues from the state that was found. Returns a complaint if it is not one of the possible states. */
  resolve(found: State): string | undefined
}

export function possibleStates<State>(first: State): PossibleStates<State> {
  let states = [first]
  return {
    current: () => (states.length === 1 ? states[0] : undefined),
    all: () => states,
    record(outcome, next) {
      if (outcome.kind === "done") states = [next]
      if (outcome.kind === "unknown") states = [...states, next]
    },
    resolve(found) {
      const text = JSON.stringify(found)
      const expected = states.map((state) => JSON.stringify(state))
      states = [found]
      if (expected.includes(text)) return undefined
      return `found ${shortened(text)}\n    instead of ${expected.map(shortened).join("\n            or ")}`
    },
  }
}

function shortened(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 300)}... (${text.length} characters)`
}
