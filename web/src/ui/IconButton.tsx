import { ActionIcon, type ActionIconProps, VisuallyHidden } from "@mantine/core"
import type { AriaAttributes, MouseEvent, ReactNode, Ref } from "react"

interface IconButtonProps extends ActionIconProps, Pick<AriaAttributes, "aria-expanded" | "aria-haspopup"> {
  /** The accessible name and the tooltip. */
  label: string
  children: ReactNode
  ref?: Ref<HTMLButtonElement>
  /** Left out if a menu adds it. */
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void
}

export function IconButton({ label, children, ...rest }: IconButtonProps) {
  // The browser's own tooltip: Mantine's would be a tenth of the first load.
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" {...rest} type="button" title={label}>
      {children}
      <VisuallyHidden>{label}</VisuallyHidden>
    </ActionIcon>
  )
}
