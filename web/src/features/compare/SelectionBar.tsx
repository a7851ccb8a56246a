import { Button } from "@mantine/core"
import { IconCopyPlus, IconX } from "@tabler/icons-react"
import { counted } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import type { Selection } from "./use-selection.ts"

interface SelectionBarProps {
  selection: Selection
  /** Undefined if the user may change no environment. */
  onCopy: ((names: string[]) => void) | undefined
}

/** What can be done with the ticked names. Nothing is shown without any. */
export function SelectionBar({ selection, onCopy }: SelectionBarProps) {
  const { names, clear } = selection
  if (names.size === 0) return null
  return (
    <div className="selection-bar">
      <span role="status">{counted(names.size, "name selected", "names selected")}</span>
      {onCopy && (
        <Button size="xs" leftSection={<Icon shape={IconCopyPlus} />} onClick={() => onCopy([...names])}>
          Copy to…
        </Button>
      )}
      <Button size="xs" variant="subtle" color="gray" leftSection={<Icon shape={IconX} />} onClick={clear}>
        Clear selection
      </Button>
    </div>
  )
}
