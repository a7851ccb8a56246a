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

/** The menu scrolls where the window ends, so that its last lines are never below the edge. */
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
    // The chosen line goes away with the menu; the dialog must find the button to give the focus back to.
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
        // The first line has the focus at once, and the menu is part of the page for those who go by its landmarks.
        withInitialFocusPlaceholder={false}
        // On a low window somebody scrolls the page to read the menu; it must not vanish with its button.
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
