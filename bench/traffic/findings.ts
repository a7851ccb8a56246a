import type { BudgetName } from "../budgets.ts"

/** What was wrong, with what is needed to find its cause. */
export interface Finding {
  rule: BudgetName
  what: string
  /** When it was found first, in seconds since the run began. */
  seconds: number
  /** What happened to the servers at that moment. */
  during: string
  times: number
}

const shownLength = 200
const shownFindings = 40

export class Findings {
  #all = new Map<string, Finding>()
  #moment: () => Pick<Finding, "seconds" | "during">

  constructor(moment: () => Pick<Finding, "seconds" | "during">) {
    this.#moment = moment
  }

  note(rule: BudgetName, text: string): void {
    const what = text.slice(0, 2 * shownLength)
    const known = this.#all.get(`${rule} ${what}`)
    if (known !== undefined) known.times++
    else this.#all.set(`${rule} ${what}`, { rule, what, ...this.#moment(), times: 1 })
  }

  /** How often this rule was broken, or any. */
  count(rule?: BudgetName): number {
    const all = [...this.#all.values()].filter((one) => rule === undefined || one.rule === rule)
    return all.reduce((sum, { times }) => sum + times, 0)
  }

  /** The first of them, one a line. */
  lines(): string[] {
    const all = [...this.#all.values()]
    const lines = all.map(
      ({ rule, what, seconds, during, times }) =>
        `${rule}, ${times} times from ${seconds.toFixed(0)} s on, ${during}: ${what}`,
    )
    return lines.slice(0, shownFindings)
  }
}

/** A call and its answer, in one line. */
export function described({ method = "GET", path }: { method?: string; path: string }, status: number, text: string) {
  return `${method} ${path.replaceAll(/\d+/g, "n")}: ${status} ${text.slice(0, shownLength)}`
}
