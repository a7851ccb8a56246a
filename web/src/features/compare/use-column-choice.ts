import type { Environment } from "@envkeep/contract"
import { useLocalStorage } from "@mantine/hooks"

interface Stored {
  /** The ids of environments from left to right. Those that it does not name come last. */
  order: number[]
  hidden: number[]
}

const none: Stored = { order: [], hidden: [] }

export interface ColumnChoice {
  /** All environments, as they are ordered. */
  ordered: Environment[]
  shown: Environment[]
  isShown: (environment: Environment) => boolean
  toggle: (environment: Environment) => void
  /** Moves it to the place of the next environment on that side. */
  move: (environment: Environment, side: "left" | "right") => void
  /** Whether anything was chosen. */
  isChosen: boolean
  reset: () => void
}

/** Which environments are columns, and in which order. Stored in this browser, for each collection. */
export function useColumnChoice(collectionId: number, environments: Environment[]): ColumnChoice {
  const [{ order, hidden }, setStored] = useLocalStorage<Stored>({
    key: `envkeep.compare-columns.${collectionId}`,
    defaultValue: none,
    getInitialValueInEffect: false,
    deserialize: readStored,
  })
  const placeOf = ({ id }: Environment) => (order.includes(id) ? order.indexOf(id) : order.length)
  const ordered = environments.toSorted((one, other) => placeOf(one) - placeOf(other))
  const isShown = ({ id }: Environment) => !hidden.includes(id)
  const shown = ordered.filter(isShown)
  return {
    ordered,
    // All of them were deleted or hidden elsewhere: a grid without columns helps no one.
    shown: shown.length === 0 ? ordered : shown,
    isShown: (environment) => shown.length === 0 || isShown(environment),
    toggle: ({ id }) =>
      setStored({ order, hidden: hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id] }),
    move({ id }, side) {
      const ids = ordered.map((one) => one.id)
      const from = ids.indexOf(id)
      const to = side === "left" ? from - 1 : from + 1
      if (to < 0 || to >= ids.length) return
      ids.splice(from, 1)
      ids.splice(to, 0, id)
      setStored({ order: ids, hidden })
    },
    isChosen: order.length > 0 || hidden.length > 0,
    reset: () => setStored(none),
  }
}

/** The user can change the storage, so anything else is ignored. */
function readStored(text: string | undefined): Stored {
  try {
    const { order, hidden } = JSON.parse(text ?? "{}") as Partial<Record<keyof Stored, unknown>>
    return { order: numbersIn(order), hidden: numbersIn(hidden) }
  } catch {
    return none
  }
}

function numbersIn(list: unknown): number[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "number") : []
}
