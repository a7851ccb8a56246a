import type { Environment } from "@envkeep/contract"
import { useState } from "react"

/**
 * The environments to show: those that exist, and those that someone else has deleted while they had unsaved edits here.
 * They stay until these are discarded, so that nothing typed is lost.
 */
export function useKeptEnvironments(environments: Environment[]) {
  const [unsaved, setUnsaved] = useState<ReadonlySet<number>>(new Set())
  const [known, setKnown] = useState(environments)
  const existing = new Set(environments.map(({ id }) => id))
  const deleted = known.filter(({ id }) => !existing.has(id) && unsaved.has(id))
  const shown = deleted.length === 0 ? environments : [...environments, ...deleted].toSorted((a, b) => a.id - b.id)
  if (shown.length !== known.length || shown.some((environment, at) => environment !== known[at])) setKnown(shown)

  const [onUnsaved] = useState(() => (id: number, isUnsaved: boolean) => {
    setUnsaved((current) => {
      if (current.has(id) === isUnsaved) return current
      const next = new Set(current)
      if (isUnsaved) next.add(id)
      else next.delete(id)
      return next
    })
  })
  return { shown, isDeleted: ({ id }: Environment) => !existing.has(id), onUnsaved }
}
