import { Dialog } from "../../../ui/Dialog.tsx"
import { type Shortcut, Shortcuts } from "../../../ui/Shortcuts.tsx"
import { isMac } from "../../../ui/shortcut.ts"
import "./keyboard.css"

const shortcuts: Shortcut[] = [
  { keys: ["J", "↓"], does: "Next environment or row" },
  { keys: ["K", "↑"], does: "Previous environment or row" },
  { keys: ["→", "←"], does: "Open or close an environment" },
  { keys: ["E"], does: "Edit the value of a row, or the name of an environment" },
  { keys: ["Esc"], does: "From a field to its row, from a row to its environment" },
  { keys: ["N"], does: "New item" },
  { keys: ["/"], does: "Filter the items" },
  { keys: [isMac ? "⌘ K" : "Ctrl K"], does: "Find collections, environments, variables and actions" },
  { keys: [isMac ? "⌘ S" : "Ctrl S"], does: "Save all edited rows of the environment" },
  { keys: [isMac ? "⌘ Z" : "Ctrl Z"], does: "Undo what was just deleted or saved, outside of a field" },
  { keys: ["?"], does: "This list" },
]

interface ShortcutsDialogProps {
  opened: boolean
  onClose: () => void
}

export function ShortcutsDialog({ opened, onClose }: ShortcutsDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Shortcuts shortcuts={shortcuts} />
      <p className="shortcuts__note">
        Single keys work while no field has the focus. With the Tab key, the actions of an environment are one stop; the
        arrow keys move between them.
      </p>
    </Dialog>
  )
}
