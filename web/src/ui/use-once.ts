import { useRef, useState } from "react"

/**
 * Prevents a double submission: while `act` runs, further calls do nothing. State alone is not enough: a second click
 * can come before the first one has re-rendered the button.
 */
export function useOnce(act: () => Promise<unknown>): [run: () => Promise<void>, pending: boolean] {
  const running = useRef(false)
  const [pending, setPending] = useState(false)

  async function run() {
    if (running.current) return
    running.current = true
    setPending(true)
    try {
      await act()
    } finally {
      running.current = false
      setPending(false)
    }
  }
  return [run, pending]
}
