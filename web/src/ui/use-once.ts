import { useRef, useState } from "react"

/**
 * Makes a double submission impossible: while `act` runs, further calls do nothing. The ref closes the gap between two
 * clicks of which the second comes before the first has disabled the button.
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
