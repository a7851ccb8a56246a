import type { Outcome } from "./calls.ts"

/**
 * What may be in the store: one state, or two while nobody knows what became of the last write. A state is compared whole,
 * so half of a write is none of them.
 */
export interface Possible<State> {
  /** The state to go on from; undefined while there are two, for then nothing more may be written. */
  current(): State | undefined
  all(): State[]
  /** Notes what became of a write that leads to `next`. */
  after(outcome: Outcome<unknown>, next: State): void
  /** What was found is one of them: nothing. It is none: what was expected instead. */
  settle(found: State): string | undefined
}

export function possible<State>(first: State): Possible<State> {
  let states = [first]
  return {
    current: () => (states.length === 1 ? states[0] : undefined),
    all: () => states,
    after(outcome, next) {
      if (outcome.kind === "done") states = [next]
      if (outcome.kind === "unknown") states = [...states, next]
    },
    settle(found) {
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
