import { useSearchParams } from "react-router"

/**
 * The ids of the expanded environments. They are in the address, `?env=12&env=15`, so that they survive a reload and can
 * be linked to. The address is replaced: the back button leaves the page and does not collapse what was expanded.
 */
export function useOpenEnvironments(): [opened: ReadonlySet<number>, setOpened: (id: number, open: boolean) => void] {
  const [params, setParams] = useSearchParams()
  const opened = new Set(params.getAll("env").map(Number))

  function setOpened(id: number, open: boolean) {
    const change = (current: URLSearchParams) => {
      const next = new URLSearchParams(current)
      next.delete("env", String(id))
      if (open) next.append("env", String(id))
      return next
    }
    // Rendered at once: the next change starts from the rendered address, and a second click can come before a late one.
    setParams(change, { replace: true, preventScrollReset: true, flushSync: true })
  }
  return [opened, setOpened]
}
