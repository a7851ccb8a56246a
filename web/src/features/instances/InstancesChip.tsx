import type { InstanceCount } from "@envkeep/contract"
import { IconServer2 } from "@tabler/icons-react"
import { useState } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { InstancesDialog } from "./InstancesDialog.tsx"
import "./instances.css"

interface InstancesChipProps {
  environment: { id: number; name: string }
  /** Undefined if nothing runs. */
  count: InstanceCount | undefined
}

/** How many programs run the current values of an environment. It opens the list of them. */
export function InstancesChip({ environment, count }: InstancesChipProps) {
  const [opened, setOpened] = useState(false)
  // Once all have followed a change, it says so, and not only how many there are.
  const [wasBehind, setWasBehind] = useState(false)
  const { running = 0, current = 0 } = count ?? {}
  const isBehind = current < running
  if (isBehind && !wasBehind) setWasBehind(true)
  if (running === 0 && !opened) return null
  return (
    <>
      <button
        type="button"
        className={isBehind ? "chip chip--instances chip--behind" : "chip chip--instances"}
        aria-haspopup="dialog"
        title="Show what runs with this environment"
        onClick={() => setOpened(true)}
      >
        <Icon shape={IconServer2} />
        <span className="chip__words" role="status">
          {wasBehind
            ? `${formatNumber(current)} of ${formatNumber(running)} run the new value`
            : `${formatNumber(running)} running`}
        </span>
        <span className="chip__count" aria-hidden="true">
          {wasBehind ? `${formatNumber(current)}/${formatNumber(running)}` : formatNumber(running)}
        </span>
      </button>
      <InstancesDialog environment={environment} opened={opened} onClose={() => setOpened(false)} />
    </>
  )
}
