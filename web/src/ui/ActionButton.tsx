import { Button } from "@mantine/core"
import type { ReactNode } from "react"

interface ActionButtonProps {
  label: string
  icon: ReactNode
  onClick: () => void
}

/** An icon with its name beside it where there is room; on a narrow screen the name is still there for those who listen. */
export function ActionButton({ label, icon, onClick }: ActionButtonProps) {
  return (
    <Button variant="subtle" color="gray" className="action-button" title={label} onClick={onClick}>
      {icon}
      <span className="action-button__label">{label}</span>
    </Button>
  )
}
