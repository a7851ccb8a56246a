import { type FormatName, formatNames } from "@envkeep/formats"
import { Menu } from "@mantine/core"
import { IconFileExport } from "@tabler/icons-react"
import { useRef } from "react"
import { ActionButton } from "../../../ui/ActionButton.tsx"
import { DropMenu } from "../../../ui/DropMenu.tsx"
import { Icon } from "../../../ui/Icon.tsx"
import { ExportFormat } from "./ExportFormat.tsx"

export function ExportMenu({ onChoose }: { onChoose: (format: FormatName) => void }) {
  const button = useRef<HTMLButtonElement>(null)

  function choose(format: FormatName) {
    // The chosen entry closes with the menu, so the dialog must return the focus to the button.
    button.current?.focus()
    onChoose(format)
  }
  return (
    <DropMenu button={<ActionButton ref={button} label="Export" icon={<Icon shape={IconFileExport} />} />} width={320}>
      {formatNames.map((format) => (
        <Menu.Item key={format} onClick={() => choose(format)}>
          <ExportFormat format={format} />
        </Menu.Item>
      ))}
    </DropMenu>
  )
}
