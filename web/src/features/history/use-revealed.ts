import { useState } from "react"
import { useMaskWhenIdle } from "../../lib/mask-after.ts"

interface Revealed {
  all: boolean
  /** The keys of the values that do the opposite. */
  except: ReadonlySet<string | number>
}

const nothing: Revealed = { all: false, except: new Set() }

/** Which past values are shown. All are masked at first, and again after some minutes without use. */
export function useRevealed() {
  const [revealed, setRevealed] = useState(nothing)
  useMaskWhenIdle(revealed.all || revealed.except.size > 0, () => setRevealed(nothing))
  return {
    all: revealed.all,
    isShown: (key: string | number) => revealed.except.has(key) !== revealed.all,
    toggleAll: () => setRevealed(({ all }) => ({ ...nothing, all: !all })),
    toggle: (key: string | number) =>
      setRevealed(({ all, except }) => {
        const next = new Set(except)
        if (!next.delete(key)) next.add(key)
        return { all, except: next }
      }),
  }
}
