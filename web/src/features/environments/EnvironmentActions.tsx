import { type FormatName, formatNames } from "@envkeep/formats"
import { Menu } from "@mantine/core"
import {
  IconCode,
  IconCopy,
  IconDots,
  IconFileExport,
  IconFileImport,
  IconGitFork,
  IconHistory,
  IconKey,
  IconPencil,
  IconShieldLock,
  IconShieldOff,
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
import { ExportExample, ExportFormat } from "./export/ExportFormat.tsx"
import { ExportMenu } from "./export/ExportMenu.tsx"

/** In a narrower window the labels would leave no space for the name of the environment. */
const barWidthPx = 1000

/** What the user's role does not allow is left out, and not offered. */
interface EnvironmentActionsProps {
  name: string
  isProtected: boolean
  /** The button that opens the menu or the sheet. */
  more: RefObject<HTMLButtonElement | null>
  onHistory: () => void
  onImport?: () => void
  onExport?: (format: FormatName) => void
  onExportExample?: () => void
  onEditRaw?: () => void
  onManageKeys?: () => void
  onCopyTo?: () => void
  onEditName?: () => void
  onInherit?: () => void
  onProtect?: () => void
  onDelete?: () => void
}

export function EnvironmentActions(props: EnvironmentActionsProps) {
  return useMaxWidth(barWidthPx) ? <ActionSheet {...props} /> : <ActionBar {...props} />
}

/** The most used actions with their labels, the others in a menu. */
function ActionBar({ isProtected, more, ...on }: EnvironmentActionsProps) {
  function choose(act: () => void) {
    // The chosen entry closes with the menu, so a dialog must return the focus to the button.
    more.current?.focus()
    act()
  }
  return (
    <Toolbar label="Actions" className="environment__actions">
      {on.onImport && <ActionButton label="Import" icon={<Icon shape={IconFileImport} />} onClick={on.onImport} />}
      {on.onExport && on.onExportExample && <ExportMenu onChoose={on.onExport} onExample={on.onExportExample} />}
      {on.onEditRaw && <ActionButton label="Edit raw values" icon={<Icon shape={IconCode} />} onClick={on.onEditRaw} />}
      {on.onManageKeys && (
        <ActionButton label="Manage API keys" icon={<Icon shape={IconKey} />} onClick={on.onManageKeys} />
      )}
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
        {entriesOf(isProtected, on).map(({ label, icon, danger = false, act }) => (
          <Menu.Item
            key={label}
            {...(danger && { className: "danger-item" })}
            leftSection={<Icon shape={icon} />}
            onClick={() => choose(act)}
          >
            {label}
          </Menu.Item>
        ))}
      </DropMenu>
    </Toolbar>
  )
}

/** What is done with the environment as a whole. */
function entriesOf(
  isProtected: boolean,
  {
    onCopyTo,
    onEditName,
    onInherit,
    onProtect,
    onDelete,
  }: Pick<EnvironmentActionsProps, "onCopyTo" | "onEditName" | "onInherit" | "onProtect" | "onDelete">,
) {
  const protection = isProtected
    ? { label: "End protection", icon: IconShieldOff }
    : { label: "Protect", icon: IconShieldLock }
  return [
    { label: "Copy to…", icon: IconCopy, act: onCopyTo },
    { label: "Edit name", icon: IconPencil, act: onEditName },
    { label: "Inherit from…", icon: IconGitFork, act: onInherit },
    { ...protection, act: onProtect },
    { label: "Delete environment", icon: IconTrash, danger: true, act: onDelete },
  ].flatMap(({ act, ...entry }) => (act === undefined ? [] : [{ ...entry, act }]))
}

/** All actions with their labels in a sheet. Export asks for the format in the same sheet. */
function ActionSheet({ name, isProtected, more, ...on }: EnvironmentActionsProps) {
  const [opened, setOpened] = useState<"actions" | "formats">()
  const close = () => setOpened(undefined)

  function choose(act: () => void) {
    close()
    act()
  }
  const { onImport, onExport, onExportExample, onEditRaw, onManageKeys } = on
  return (
    <div className="environment__actions">
      <IconButton ref={more} label="Actions" aria-haspopup="dialog" onClick={() => setOpened("actions")}>
        <Icon shape={IconDots} />
      </IconButton>
      <Sheet opened={opened !== undefined} title={opened === "formats" ? `Export ${name}` : name} onClose={close}>
        {opened === "formats" && onExport !== undefined && onExportExample !== undefined ? (
          <>
            {formatNames.map((format) => (
              <SheetAction key={format} onClick={() => choose(() => onExport(format))}>
                <ExportFormat format={format} />
              </SheetAction>
            ))}
            <SheetAction onClick={() => choose(onExportExample)}>
              <ExportExample />
            </SheetAction>
          </>
        ) : (
          <>
            {onImport && (
              <SheetAction icon={<Icon shape={IconFileImport} />} onClick={() => choose(onImport)}>
                Import
              </SheetAction>
            )}
            {onExport && (
              <SheetAction icon={<Icon shape={IconFileExport} />} onClick={() => setOpened("formats")}>
                Export
              </SheetAction>
            )}
            {onEditRaw && (
              <SheetAction icon={<Icon shape={IconCode} />} onClick={() => choose(onEditRaw)}>
                Edit raw values
              </SheetAction>
            )}
            {onManageKeys && (
              <SheetAction icon={<Icon shape={IconKey} />} onClick={() => choose(onManageKeys)}>
                Manage API keys
              </SheetAction>
            )}
            <SheetAction icon={<Icon shape={IconHistory} />} onClick={() => choose(on.onHistory)}>
              History
            </SheetAction>
            {entriesOf(isProtected, on).map(({ label, icon, danger = false, act }) => (
              <SheetAction key={label} icon={<Icon shape={icon} />} danger={danger} onClick={() => choose(act)}>
                {label}
              </SheetAction>
            ))}
          </>
        )}
      </Sheet>
    </div>
  )
}
