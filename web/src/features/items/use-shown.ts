import { useLocalStorage } from "@mantine/hooks"
import { useCallback } from "react"

interface Shown {
  /** Whether the block shows its values. */
  all: boolean
  /** The ids of the rows that do the opposite. */
  except: number[]
}

/** Which values of an environment are shown. Masked until asked for; what was asked for is remembered in this browser. */
export function useShown(environmentId: number) {
  const [shown, setShown] = useLocalStorage<Shown>({
    key: `envkeep.shown.${environmentId}`,
    defaultValue: { all: false, except: [] },
    getInitialValueInEffect: false,
    deserialize: read,
  })
  const toggle = useCallback(
    (itemId: number) =>
      setShown((held) => ({
        ...held,
        except: held.except.includes(itemId) ? held.except.filter((id) => id !== itemId) : [...held.except, itemId],
      })),
    [setShown],
  )
  const except = new Set(shown.except)
  return {
    all: shown.all,
    isShown: (itemId: number) => except.has(itemId) !== shown.all,
    toggle,
    toggleAll: () => setShown({ all: !shown.all, except: [] }),
  }
}

/** Storage belongs to the user; what is not ours in it counts as nothing. */
function read(stored: string | undefined): Shown {
  try {
    const { all, except } = JSON.parse(stored ?? "{}") as Partial<Shown>
    return { all: all === true, except: Array.isArray(except) ? except.filter((id) => typeof id === "number") : [] }
  } catch {
    return { all: false, except: [] }
  }
}
