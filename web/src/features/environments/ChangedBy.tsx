import { useLiveChange } from "../../lib/live-changes.ts"
import { whoAndWhen } from "../../lib/who-and-when.ts"

/** Says for a minute who has just changed the environment. */
export function ChangedBy({ environmentId }: { environmentId: number }) {
  const change = useLiveChange(environmentId)
  const text = change && whoAndWhen("Changed", change)
  return (
    <span role="status" className="environment__changed" title={text}>
      {text}
    </span>
  )
}
