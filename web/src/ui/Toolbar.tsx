import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react"

interface ToolbarProps {
  label: string
  className?: string
  children: ReactNode
}

/** A row of buttons that is one stop of the Tab key. The arrow keys move between the buttons. */
export function Toolbar({ label, className, children }: ToolbarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const current = useRef<HTMLElement>(null)
  const buttons = () => [...(bar.current?.querySelectorAll<HTMLButtonElement>("button:not(:disabled)") ?? [])]

  function rove() {
    const all = buttons()
    const stop = all.find((button) => button === current.current) ?? all[0]
    for (const button of all) button.tabIndex = button === stop ? 0 : -1
  }
  // After every render, because it can add a button.
  useEffect(rove)

  function remember(event: FocusEvent<HTMLElement>) {
    current.current = event.target
    rove()
  }
  function move(event: KeyboardEvent) {
    const all = buttons()
    const at = event.target instanceof HTMLButtonElement ? all.indexOf(event.target) : -1
    // A menu that a button opened is not in the bar, but its keys arrive here too.
    if (at === -1) return
    const next = all[nextIndex(event.key, at, all.length)]
    if (next === undefined) return
    event.preventDefault()
    next.focus()
  }
  return (
    <div ref={bar} role="toolbar" aria-label={label} className={className} onFocus={remember} onKeyDown={move}>
      {children}
    </div>
  )
}

function nextIndex(key: string, at: number, count: number): number {
  if (key === "ArrowRight") return (at + 1) % count
  if (key === "ArrowLeft") return (at - 1 + count) % count
  if (key === "Home") return 0
  if (key === "End") return count - 1
  return -1
}
