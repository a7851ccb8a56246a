import type { Environment } from "@envkeep/contract"
import { type FormatName, formatNames, formats } from "@envkeep/formats"
import { Menu } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { IconUpload } from "@tabler/icons-react"
import { useRef, useState } from "react"
import { ActionButton } from "../../../ui/ActionButton.tsx"
import { Icon } from "../../../ui/Icon.tsx"
import { ExportDialog } from "./ExportDialog.tsx"
import { readersOf } from "./export-text.ts"
import "./export.css"

/** Limits the menu to the window, so that it scrolls and its last entries can be reached. */
const fitIntoWindow = {
  padding: 12,
  apply({ availableHeight, elements }: { availableHeight: number; elements: { floating: HTMLElement } }) {
    elements.floating.style.maxHeight = `${Math.max(180, availableHeight)}px`
  },
}

interface ExportMenuProps {
  environment: Environment
  unsaved: number
}

export function ExportMenu({ environment, unsaved }: ExportMenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [format, setFormat] = useState<FormatName>("dotenv")
  const [opened, { open, close }] = useDisclosure(false)

  function choose(next: FormatName) {
    // The chosen entry closes with the menu, so the dialog must return the focus to the button.
    button.current?.focus()
    setFormat(next)
    open()
  }
  return (
    <>
      <Menu
        position="bottom-end"
        width={320}
        shadow="md"
        transitionProps={{ duration: 0 }}
        // The first entry gets the focus immediately. The menu is inside the main landmark (see the portal's target).
        withInitialFocusPlaceholder={false}
        // In a low window the menu must stay open while the page scrolls its button out of view.
        hideDetached={false}
        portalProps={{ target: "main" }}
        middlewares={{ flip: true, shift: true, size: fitIntoWindow }}
      >
        <Menu.Target>
          <ActionButton ref={button} label="Export" icon={<Icon shape={IconUpload} />} />
        </Menu.Target>
        <Menu.Dropdown className="export-menu">
          {formatNames.map((one) => (
            <Menu.Item key={one} onClick={() => choose(one)}>
              <span className="export-menu__title">{formats[one].label}</span>
              <span className="export-menu__readers">{`For ${readersOf(one)}`}</span>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ExportDialog
        environment={environment}
        unsaved={unsaved}
        format={format}
        onChoose={setFormat}
        opened={opened}
        onClose={close}
      />
    </>
  )
}
