import { useEffect, useEffectEvent } from "react"

const signsOfUse = ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"] as const

/**
 * Calls `onIdle` once the page was not used for this long. It is not watched while `idleMs` is undefined. Goes by the
 * clock: a computer that slept wakes up with a timer that is late, and the mouse that woke it is not use.
 */
export function useWhenIdle(idleMs: number | undefined, onIdle: () => void): void {
  const act = useEffectEvent(onIdle)
  useEffect(() => {
    if (idleMs === undefined) return
    const limitMs = idleMs
    let usedAt = Date.now()
    let timer = setTimeout(check, idleMs)
    const listening = new AbortController()

    function check() {
      clearTimeout(timer)
      const leftMs = usedAt + limitMs - Date.now()
      if (leftMs > 0) timer = setTimeout(check, leftMs)
      else act()
    }
    function use() {
      const now = Date.now()
      if (now - usedAt >= limitMs) check()
      usedAt = now
    }
    const options = { capture: true, passive: true, signal: listening.signal }
    for (const sign of signsOfUse) addEventListener(sign, use, options)
    document.addEventListener("visibilitychange", check, options)
    return () => {
      clearTimeout(timer)
      listening.abort()
    }
  }, [idleMs])
}
