import { type BudgetName, type Held, hold } from "./budgets.ts"
import { type Engine, engineNames, type Options } from "./options.ts"

/** What is started or created, and how to undo it. */
export type Cleanup = Pick<AsyncDisposableStack, "defer">

/** What every group of measurements gets. */
export interface Bench {
  options: Options
  /** Of this group: undone when it has ended, so that the next one has the machine to itself. */
  cleanup: Cleanup
  load: Loader
  /** The address of a PostgreSQL server, which the first call starts. */
  postgres(): Promise<string>
  /** Reports progress. */
  say(line: string): void
}

export interface Load {
  port: number
  /** The whole request, as it goes over the wire. */
  request: string
  /** The status that every answer must have: 200 if none is given. */
  status?: number
  /** 64 if it is not given. */
  connections?: number
  /** As long as a measurement of this run, unless another time is given. */
  seconds?: number
}

export interface LoadResult {
  perSecond: number
  p99: number
}

/** One generator for the whole run: the same process, equally warm, measures every server. */
export type Loader = (load: Load) => Promise<LoadResult>

export interface Group {
  name: string
  /** It takes so long that it runs only if it is named. */
  isOnRequest?: boolean
  run(bench: Bench): Promise<Section[]>
}

export interface Head {
  title: string
  /** How it was measured, so that readers can repeat it. */
  how: string
  columns: string[]
}

/** One table of the results. */
export interface Section extends Head {
  rows: string[][]
  held: Held[]
}

/** A table that is being filled by one engine, which its rows and budgets name. */
export interface Rows {
  add(what: string, ...cells: string[]): void
  hold(budget: BudgetName, what: string, measured: number): void
  /** What was judged elsewhere. */
  judge(held: Held[]): void
}

export function rowsOf(section: Section, engine: Engine): Rows {
  const where = (what: string) => (what === "" ? engineNames[engine] : `${engineNames[engine]}, ${what}`)
  return {
    add: (what, ...cells) => void section.rows.push([where(what), ...cells]),
    hold: (budget, what, measured) => void section.held.push(hold(budget, where(what), measured)),
    judge: (held) => void section.held.push(...held),
  }
}

export const emptySection = (head: Head): Section => ({ ...head, rows: [], held: [] })

type Measure = (bench: Bench, engine: Engine, rows: Rows) => Promise<void>

/** A group of one table, which has the same rows for each engine. */
export function onEachEngine(name: string, head: Head | ((bench: Bench) => Head), measure: Measure): Group {
  return {
    name,
    async run(bench) {
      const section = emptySection(typeof head === "function" ? head(bench) : head)
      for (const engine of bench.options.engines) {
        bench.say(`  ${engineNames[engine]}`)
        await measure(bench, engine, rowsOf(section, engine))
      }
      return [section]
    },
  }
}
