import { Menu } from "@mantine/core"
import type { ReactElement, ReactNode } from "react"

/** Limits the menu to the window, so that it scrolls and its last entries can be reached. */
const fitIntoWindow = {
  padding: 12,
  apply({ availableHeight, elements }: { availableHeight: number; elements: { floating: HTMLElement } }) {
    elements.floating.style.maxHeight = `${Math.max(180, availableHeight)}px`
  },
}

interface DropMenuProps {
  /** The button that opens the menu. */
  button: ReactElement
  width: number
  children: ReactNode
}

/** A menu below its button. Its entries are `Menu.Item`. */
export function DropMenu({ button, width, children }: DropMenuProps) {
  return (
    <Menu
      position="bottom-end"
      width={width}
      shadow="md"
      transitionProps={{ duration: 0 }}
      // The first entry gets the focus immediately. The menu is inside the main landmark (see the portal's target).
      withInitialFocusPlaceholder={false}
      // In a low window the menu must stay open while the page scrolls its button out of view.
      hideDetached={false}
      portalProps={{ target: "main" }}
      middlewares={{ flip: true, shift: true, size: fitIntoWindow }}
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown className="drop-menu">{children}</Menu.Dropdown>
    </Menu>
  )
}
