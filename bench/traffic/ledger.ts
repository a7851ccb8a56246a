/** A name that one writer owns. Its value says which of the writer's writes it is. */
export interface Entry {
  environment: number
  name: string
  /** The highest number that was sent, whether it arrived or not. */
  attempted: number
  /** What was confirmed, with its time by `performance.now()`; the oldest first. */
  confirmed: { number: number; at: number }[]
}

const confirmedBefore = ({ confirmed }: Entry, time: number) =>
  confirmed.findLast(({ at }) => at <= time) ?? { number: 0, at: Number.NEGATIVE_INFINITY }

/** Lengths differ, so that an answer is not replaced by one of the same length. */
export function writtenValue(name: string, number: number): string {
  return `${number}.${name}.${"x".repeat(number % 61)}`
}

/** Every write, by the writers that made them. A writer tries a number until it is confirmed, and then goes on to the next. */
export function createLedger() {
  const entries: Entry[] = []
  return {
    entries,
    add(environment: number, name: string): Entry {
      const entry: Entry = { environment, name, attempted: 0, confirmed: [] }
      entries.push(entry)
      return entry
    },
    confirm: (entry: Entry) => void entry.confirmed.push({ number: entry.attempted, at: performance.now() }),
    /** What is wrong with the variables of an environment: they hold only what was written, and all that was confirmed before `since`. */
    faults(environment: number, variables: Readonly<Record<string, string | undefined>>, since: number): string[] {
      return entries
        .filter((entry) => entry.environment === environment)
        .flatMap((entry) => faultOf(entry, variables[entry.name], since) ?? [])
    },
    /** How many writes were confirmed. */
    count: () => entries.reduce((sum, { confirmed }) => sum + confirmed.length, 0),
  }
}

export type Ledger = ReturnType<typeof createLedger>

function faultOf(entry: Entry, value: string | undefined, since: number): string | undefined {
  const { name, attempted } = entry
  const due = confirmedBefore(entry, since)
  if (value === undefined) return due.number === 0 ? undefined : `${name} is missing`
  const number = Number.parseInt(value, 10)
  if (value !== writtenValue(name, number)) return `${name} holds what was never written: ${value.slice(0, 40)}`
  if (number > attempted) return `${name} is ${number}, but only ${attempted} were written`
  if (number >= due.number) return undefined
  const lateMs = Math.round(performance.now() - due.at)
  return `${name} is ${number}, but ${due.number} was confirmed ${lateMs} ms ago`
}
