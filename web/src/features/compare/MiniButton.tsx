import type { Icon as IconShape } from "@tabler/icons-react"
import { Icon } from "../../ui/Icon.tsx"

interface MiniButtonProps {
  label: string
  icon: IconShape
  onClick: () => void
}

/** In a cell, for the mouse only: the keyboard has keys for it, and the menu of the cell. */
export function MiniButton({ label, icon, onClick }: MiniButtonProps) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className="mini-button"
      title={label}
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation()
        onClick()
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Icon shape={icon} />
    </button>
  )
}
