import { useLocalStorage } from "@mantine/hooks"
import { useCallback } from "react"

interface Shown {
  /** Whether the environment shows its values. */
  all: boolean
  /** The ids of the rows that do the opposite. */
  except: number[]
}

/** Which values of an environment are shown. All are masked at first, and the choice is stored in this browser. */
export function useShown(environmentId: number) {
  const [shown, setShown] = useLocalStorage<Shown>({
    key: `envkeep.shown.${environmentId}`,
    defaultValue: { all: false, except: [] },
    getInitialValueInEffect: false,
    deserialize: read,
  })
  const toggle = useCallback(
    (itemId: number) =>
      setShown((current) => ({
        ...current,
        except: current.except.includes(itemId)
          ? current.except.filter((id) => id !== itemId)
          : [...current.except, itemId],
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

/** The user can change the storage, so anything invalid is ignored. */
function read(stored: string | undefined): Shown {
  try {
    const { all, except } = JSON.parse(stored ?? "{}") as Partial<Shown>
    return { all: all === true, except: Array.isArray(except) ? except.filter((id) => typeof id === "number") : [] }
  } catch {
    return { all: false, except: [] }
  }
}
