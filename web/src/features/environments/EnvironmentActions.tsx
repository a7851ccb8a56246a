import { type FormatName, formatNames } from "@envkeep/formats"
import { Menu } from "@mantine/core"
import {
  IconCode,
  IconDots,
  IconFileExport,
  IconFileImport,
  IconHistory,
  IconKey,
  IconPencil,
  IconTrash,
} from "@tabler/icons-react"
import { type RefObject, useState } from "react"
import { ActionButton } from "../../ui/ActionButton.tsx"
import { DropMenu } from "../../ui/DropMenu.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { Sheet, SheetAction } from "../../ui/Sheet.tsx"
import { Toolbar } from "../../ui/Toolbar.tsx"
import { useMaxWidth } from "../../ui/use-max-width.ts"
import { ExportFormat } from "./export/ExportFormat.tsx"
import { ExportMenu } from "./export/ExportMenu.tsx"

/** In a narrower window the labels would leave no space for the name of the environment. */
const barWidthPx = 1000

interface EnvironmentActionsProps {
  name: string
  /** The button that opens the menu or the sheet. */
  more: RefObject<HTMLButtonElement | null>
  onImport: () => void
  onExport: (format: FormatName) => void
  onEditRaw: () => void
  onManageKeys: () => void
  onHistory: () => void
  onEditName: () => void
  onDelete: () => void
}

export function EnvironmentActions(props: EnvironmentActionsProps) {
  return useMaxWidth(barWidthPx) ? <ActionSheet {...props} /> : <ActionBar {...props} />
}

/** The most used actions with their labels, the others in a menu. */
function ActionBar({ more, ...on }: EnvironmentActionsProps) {
  function choose(act: () => void) {
    // The chosen entry closes with the menu, so a dialog must return the focus to the button.
    more.current?.focus()
    act()
  }
  return (
    <Toolbar label="Actions" className="environment__actions">
      <ActionButton label="Import" icon={<Icon shape={IconFileImport} />} onClick={on.onImport} />
      <ExportMenu onChoose={on.onExport} />
      <ActionButton label="Edit raw values" icon={<Icon shape={IconCode} />} onClick={on.onEditRaw} />
      <ActionButton label="Manage API keys" icon={<Icon shape={IconKey} />} onClick={on.onManageKeys} />
      <DropMenu
        button={
          <IconButton ref={more} label="More actions">
            <Icon shape={IconDots} />
          </IconButton>
        }
        width={220}
      >
        <Menu.Item leftSection={<Icon shape={IconHistory} />} onClick={on.onHistory}>
          History
        </Menu.Item>
        <Menu.Item leftSection={<Icon shape={IconPencil} />} onClick={() => choose(on.onEditName)}>
          Edit name
        </Menu.Item>
        <Menu.Item className="danger-item" leftSection={<Icon shape={IconTrash} />} onClick={() => choose(on.onDelete)}>
          Delete environment
        </Menu.Item>
      </DropMenu>
    </Toolbar>
  )
}

/** All actions with their labels in a sheet. Export asks for the format in the same sheet. */
function ActionSheet({ name, more, ...on }: EnvironmentActionsProps) {
  const [opened, setOpened] = useState<"actions" | "formats">()
  const close = () => setOpened(undefined)

  function choose(act: () => void) {
    close()
    act()
  }
  return (
    <div className="environment__actions">
      <IconButton ref={more} label="Actions" aria-haspopup="dialog" onClick={() => setOpened("actions")}>
        <Icon shape={IconDots} />
      </IconButton>
      <Sheet opened={opened !== undefined} title={opened === "formats" ? `Export ${name}` : name} onClose={close}>
        {opened === "formats" ? (
          formatNames.map((format) => (
            <SheetAction key={format} onClick={() => choose(() => on.onExport(format))}>
              <ExportFormat format={format} />
            </SheetAction>
          ))
        ) : (
          <>
            <SheetAction icon={<Icon shape={IconFileImport} />} onClick={() => choose(on.onImport)}>
              Import
            </SheetAction>
            <SheetAction icon={<Icon shape={IconFileExport} />} onClick={() => setOpened("formats")}>
              Export
            </SheetAction>
            <SheetAction icon={<Icon shape={IconCode} />} onClick={() => choose(on.onEditRaw)}>
              Edit raw values
            </SheetAction>
            <SheetAction icon={<Icon shape={IconKey} />} onClick={() => choose(on.onManageKeys)}>
              Manage API keys
            </SheetAction>
            <SheetAction icon={<Icon shape={IconHistory} />} onClick={() => choose(on.onHistory)}>
              History
            </SheetAction>
            <SheetAction icon={<Icon shape={IconPencil} />} onClick={() => choose(on.onEditName)}>
              Edit name
            </SheetAction>
            <SheetAction icon={<Icon shape={IconTrash} />} danger onClick={() => choose(on.onDelete)}>
              Delete environment
            </SheetAction>
          </>
        )}
      </Sheet>
    </div>
  )
}
