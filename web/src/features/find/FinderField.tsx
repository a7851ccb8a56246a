import { limits } from "@envkeep/contract"
import type { KeyboardEvent } from "react"

interface FinderFieldProps {
  text: string
  /** The id of the list that it controls, and that of the active option. */
  listId: string
  activeId: string | undefined
  onChange: (text: string) => void
  onKey: (event: KeyboardEvent) => void
}

/** Where the focus stays. */
export function FinderField({ text, listId, activeId, onChange, onKey }: FinderFieldProps) {
  return (
    <input
      className="find__field"
      role="combobox"
      aria-label="Find"
      aria-expanded="true"
      aria-controls={listId}
      aria-autocomplete="list"
      aria-activedescendant={activeId}
      placeholder="Find collections, environments, variables, actions"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={limits.itemName}
      data-autofocus
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={onKey}
    />
  )
}
