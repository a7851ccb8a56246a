import { useLayoutEffect, useRef, useState } from "react"

type Functions<All> = Record<keyof All, (...args: never[]) => unknown>

/**
 * An object that stays the same and whose functions always call the latest ones: what gets it does not render again
 * because of them.
 */
export function useStable<All extends Functions<All>>(functions: All): All {
  const latest = useRef(functions)
  useLayoutEffect(() => {
    latest.current = functions
  })
  const [stable] = useState(() => {
    const names = Object.keys(functions) as (keyof All)[]
    const calls = names.map((name) => [name, (...args: never[]) => latest.current[name](...args)])
    return Object.fromEntries(calls) as All
  })
  return stable
}
