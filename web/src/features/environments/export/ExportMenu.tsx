import { type FormatName, formatNames } from "@envkeep/formats"
import { Menu } from "@mantine/core"
import { IconFileExport } from "@tabler/icons-react"
import { useRef } from "react"
import { ActionButton } from "../../../ui/ActionButton.tsx"
import { DropMenu } from "../../../ui/DropMenu.tsx"
import { Icon } from "../../../ui/Icon.tsx"
import { ExportExample, ExportFormat } from "./ExportFormat.tsx"

interface ExportMenuProps {
  onChoose: (format: FormatName) => void
  onExample: () => void
}

export function ExportMenu({ onChoose, onExample }: ExportMenuProps) {
  const button = useRef<HTMLButtonElement>(null)

  function choose(open: () => void) {
    // The chosen entry closes with the menu, so the dialog must return the focus to the button.
    button.current?.focus()
    open()
  }
  return (
    <DropMenu button={<ActionButton ref={button} label="Export" icon={<Icon shape={IconFileExport} />} />} width={320}>
      {formatNames.map((format) => (
        <Menu.Item key={format} onClick={() => choose(() => onChoose(format))}>
          <ExportFormat format={format} />
        </Menu.Item>
      ))}
      <Menu.Item onClick={() => choose(onExample)}>
        <ExportExample />
      </Menu.Item>
    </DropMenu>
  )
}
