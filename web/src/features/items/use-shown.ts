import { useEffect, useRef, useState } from "react"
import { useMaskWhenIdle } from "../../lib/mask-after.ts"

interface Shown {
  /** Whether the environment shows its values. */
  all: boolean
  /** The ids of the rows that do the opposite. */
  except: ReadonlySet<number>
  /** The row whose value has the focus. It is shown until the focus leaves it. */
  edited: number | undefined
}

const nothing: Shown = { all: false, except: new Set(), edited: undefined }

/**
 * Which values of an environment are shown. It is kept in memory only and forgotten when the list closes, so all are
 * masked at first. They are masked again after some minutes without use.
 */
export function useShown() {
  const [shown, setShown] = useState(nothing)
  const editedField = useRef<HTMLElement>(null)
  const isAnyShown = shown.all || shown.except.size > 0 || shown.edited !== undefined

  useMaskWhenIdle(isAnyShown, () => {
    // Returning to the tab would focus the value again, and so show it. Its row takes the focus instead.
    if (document.activeElement === editedField.current) editedField.current?.closest("li")?.focus()
    setShown(nothing)
  })

  useEffect(() => {
    if (shown.edited === undefined) return
    const maskIfLeft = () => {
      if (document.activeElement !== editedField.current) setShown((now) => ({ ...now, edited: undefined }))
    }
    // Not when the field loses the focus: a value of many lines shrinks, and would move what is being clicked away from
    // the pointer.
    const listening = new AbortController()
    addEventListener("click", maskIfLeft, { signal: listening.signal })
    addEventListener("keyup", maskIfLeft, { signal: listening.signal })
    return () => listening.abort()
  }, [shown.edited])

  const [on] = useState(() => ({
    toggle: (id: number) => setShown((now) => (isShown(now, id) ? hide(now, id) : toggleException(now, id))),
    toggleAll: () => setShown((now) => ({ ...nothing, all: !now.all })),
    edit(id: number, field: HTMLElement) {
      editedField.current = field
      setShown((now) => ({ ...now, edited: id }))
    },
  }))
  return { ...on, all: shown.all, isShown: (id: number) => isShown(shown, id) }
}

export type ShownValues = ReturnType<typeof useShown>

function isShown({ all, except, edited }: Shown, id: number): boolean {
  return except.has(id) !== all || edited === id
}

function hide(now: Shown, id: number): Shown {
  const left = { ...now, edited: undefined }
  return isShown(left, id) ? toggleException(left, id) : left
}

function toggleException(now: Shown, id: number): Shown {
  const except = new Set(now.except)
  if (!except.delete(id)) except.add(id)
  return { ...now, except }
}
