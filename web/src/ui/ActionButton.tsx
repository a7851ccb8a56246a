import { Button, type ButtonProps } from "@mantine/core"
import type { ComponentPropsWithRef, ReactNode } from "react"

interface ActionButtonProps
  extends ButtonProps,
    Omit<ComponentPropsWithRef<"button">, keyof ButtonProps | "type" | "title"> {
  label: string
  icon: ReactNode
}

/** An icon with its label. The rest of the props is passed on, for what a menu adds to its button. */
export function ActionButton({ label, icon, ...rest }: ActionButtonProps) {
  return (
    <Button variant="subtle" color="gray" {...rest} type="button" className="action-button">
      {icon}
      {label}
    </Button>
  )
}
