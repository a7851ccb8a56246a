import { formatNumber } from "../../ui/counts.ts"

interface Named {
  name: string
  value: string | null
}

/** What a save did to one item. */
export interface SavedChange {
  /** Undefined if it was added. */
  before: Named | undefined
  after: Named
}

/** More names than this are counted. */
const maxNames = 3

/** One line that does not push Undo or the time of reading out of a message, with nothing invisible in it. */
const sayable = /^(?=.*\S)[^\p{C}]{1,40}$/u

/** What is said after a save was undone. Without the value, unless the name is described as no secret. */
export function undoneWords(changes: readonly SavedChange[], isSecret: (name: string) => boolean): string {
  const [first, ...others] = changes
  if (first === undefined || others.length > 0) return asTheyWere(changes.map(({ after }) => after.name).sort())

  const { before, after } = first
  if (before === undefined) return `${after.name} is gone again`
  if (before.name !== after.name) return `${after.name} is called ${before.name} again`
  if (isSecret(before.name) || before.value === null) return asItWas(before.name)
  if (before.value === "") return `${before.name} is empty again`
  return sayable.test(before.value) ? `${before.name} is ${before.value} again` : asItWas(before.name)
}

export function asItWas(what: string): string {
  return `${what} is as it was`
}

function asTheyWere(names: string[]): string {
  const more = names.length - maxNames
  const said = more > 1 ? [...names.slice(0, maxNames), `${formatNumber(more)} others`] : names
  return `${new Intl.ListFormat("en-GB").format(said)} are as they were`
}
