import { Drawer, UnstyledButton } from "@mantine/core"
import type { ReactNode } from "react"
import { closing } from "./shortcut.ts"
import { useReturnFocus } from "./use-return-focus.ts"
import "./sheet.css"

interface SheetProps {
  opened: boolean
  title: string
  onClose: () => void
  children: ReactNode
}

/** A list of actions that slides in from below: the menu of a phone, within reach of the thumb. */
export function Sheet({ opened, title, onClose, children }: SheetProps) {
  useReturnFocus(opened)
  return (
    <Drawer.Root
      opened={opened}
      onClose={onClose}
      position="bottom"
      size="auto"
      returnFocus={false}
      transitionProps={{ duration: 120 }}
      classNames={{ content: "sheet" }}
    >
      <Drawer.Overlay backgroundOpacity={0.5} />
      <Drawer.Content {...closing(opened)}>
        <div className="sheet__head">
          <Drawer.Title>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label="Close" />
        </div>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

interface SheetActionProps {
  icon?: ReactNode
  danger?: boolean
  onClick: () => void
  children: ReactNode
}

export function SheetAction({ icon, danger = false, onClick, children }: SheetActionProps) {
  return (
    <UnstyledButton className={danger ? "sheet__action sheet__action--danger" : "sheet__action"} onClick={onClick}>
      {icon}
      <span>{children}</span>
    </UnstyledButton>
  )
}
