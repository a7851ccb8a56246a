import { Button, type ButtonProps } from "@mantine/core"
import type { ComponentPropsWithRef, ReactNode } from "react"

interface ActionButtonProps
  extends ButtonProps,
    Omit<ComponentPropsWithRef<"button">, keyof ButtonProps | "type" | "title"> {
  label: string
  icon: ReactNode
}

/**
 * An icon with its name beside it where there is room; on a narrow screen the name is still there for those who listen.
 * What a menu adds to its button goes through.
 */
export function ActionButton({ label, icon, ...rest }: ActionButtonProps) {
  return (
    <Button variant="subtle" color="gray" {...rest} type="button" className="action-button" title={label}>
      {icon}
      <span className="action-button__label">{label}</span>
    </Button>
  )
}
