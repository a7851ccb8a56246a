import { Menu } from "@mantine/core"
import type { Icon as IconShape } from "@tabler/icons-react"
import type { SyntheticEvent } from "react"
import { Icon } from "../../ui/Icon.tsx"

export interface MenuEntry {
  label: string
  icon: IconShape
  isDanger?: boolean
  act: () => void
}

/** The menu of a cell. It opens at the cell, whether by its button, with the keyboard or by a right click. */
export function GridMenu({ label, entries, onClose }: { label: string; entries: MenuEntry[]; onClose: () => void }) {
  return (
    <Menu
      opened
      onClose={onClose}
      position="bottom-start"
      width={230}
      shadow="md"
      offset={2}
      transitionProps={{ duration: 0 }}
      withInitialFocusPlaceholder={false}
      hideDetached={false}
      // Not by keys: the one that opens it would close it at once.
      clickOutsideEvents={["mousedown", "touchstart"]}
      // The grid gives the focus back to the cell.
      returnFocus={false}
      portalProps={{ target: "main" }}
    >
      <Menu.Target>
        <button type="button" tabIndex={-1} aria-label={label} className="cell__anchor" />
      </Menu.Target>
      <Menu.Dropdown
        className="drop-menu"
        // React sends the events of the menu through the cell.
        onClick={stop}
        onDoubleClick={stop}
        onContextMenu={stop}
      >
        {entries.map(({ label: words, icon, isDanger = false, act }) => (
          <Menu.Item
            key={words}
            {...(isDanger && { className: "danger-item" })}
            leftSection={<Icon shape={icon} />}
            onClick={act}
          >
            {words}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function stop(event: SyntheticEvent): void {
  event.stopPropagation()
}
