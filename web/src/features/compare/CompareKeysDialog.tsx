import { Dialog } from "../../ui/Dialog.tsx"
import { Shortcuts } from "../../ui/Shortcuts.tsx"
import { isMac } from "../../ui/shortcut.ts"

const ctrl = isMac ? "⌘" : "Ctrl"

const shortcuts = [
  { keys: ["↑", "↓", "←", "→"], does: "To the next cell; with Ctrl, to the last one" },
  { keys: ["Home", "End"], does: "To the first or last cell of the row; with Ctrl, of the grid" },
  { keys: ["Page ↑", "Page ↓"], does: "One screen up or down" },
  { keys: ["Enter"], does: "Edit or add a value. On a name or an environment: its menu" },
  { keys: ["Enter", "Esc"], does: "While editing: save, or cancel" },
  { keys: ["Tab"], does: "While editing: save, and go to the next cell. Otherwise it leaves the grid" },
  { keys: ["Shift Enter"], does: "While editing: a new line" },
  { keys: ["Space"], does: "Show or hide a value; with Shift, the row. On a name: select it" },
  { keys: ["Delete"], does: "Delete a value" },
  { keys: ["H"], does: "History of a value" },
  { keys: [`${ctrl} C`], does: "Copy a value, or a name" },
  { keys: ["Shift F10"], does: "All actions of a cell" },
  { keys: [`${ctrl} Z`], does: "Undo what was just deleted or saved" },
  { keys: ["/"], does: "Filter by name" },
  { keys: ["N"], does: "Add a name" },
  { keys: ["?"], does: "This list" },
]

export function CompareKeysDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Shortcuts shortcuts={shortcuts} />
    </Dialog>
  )
}
