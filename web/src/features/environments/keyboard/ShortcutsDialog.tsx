import { Dialog } from "../../../ui/Dialog.tsx"
import "./keyboard.css"

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

const shortcuts: { keys: string[]; does: string }[] = [
  { keys: ["J", "↓"], does: "Next environment or row" },
  { keys: ["K", "↑"], does: "Previous environment or row" },
  { keys: ["→", "←"], does: "Open or close an environment" },
  { keys: ["E"], does: "Edit the value of a row, or the name of an environment" },
  { keys: ["Esc"], does: "From a field to its row, from a row to its environment" },
  { keys: ["N"], does: "New item" },
  { keys: ["/"], does: "Filter the items" },
  { keys: [isMac ? "⌘ S" : "Ctrl S"], does: "Save all edited rows of the environment" },
  { keys: ["?"], does: "This list" },
]

interface ShortcutsDialogProps {
  opened: boolean
  onClose: () => void
}

export function ShortcutsDialog({ opened, onClose }: ShortcutsDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <dl className="shortcuts">
        {shortcuts.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="shortcuts__note">
        Single keys work while no field has the focus. With the Tab key, the actions of an environment are one stop; the
        arrow keys move between them.
      </p>
    </Dialog>
  )
}
