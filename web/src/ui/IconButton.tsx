import { ActionIcon, type ActionIconProps, Tooltip } from "@mantine/core"
import type { MouseEvent, ReactNode } from "react"

interface IconButtonProps extends ActionIconProps {
  /** What the button does: its name for assistive technology and its tooltip. */
  label: string
  children: ReactNode
  type?: "button" | "submit"
  pressed?: boolean
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void
}

export function IconButton({ label, children, pressed, type = "button", ...rest }: IconButtonProps) {
  return (
    <Tooltip label={label} openDelay={400} withArrow events={{ hover: true, focus: false, touch: false }}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        {...rest}
        type={type}
        aria-label={label}
        aria-pressed={pressed}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
