import { UnstyledButton } from "@mantine/core"
import { IconSearch } from "@tabler/icons-react"
import { openFind } from "../lib/find-window.ts"
import { Icon } from "../ui/Icon.tsx"
import { isMac } from "../ui/shortcut.ts"

/** Looks like a field, and opens the search. */
export function FindButton() {
  return (
    <UnstyledButton
      className="nav-bar__find"
      // The name where there is no room for the text.
      title="Find"
      aria-haspopup="dialog"
      aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"}
      onClick={openFind}
    >
      <Icon shape={IconSearch} />
      <span className="nav-bar__find-text">Find…</span>
      <kbd className="nav-bar__find-key">{isMac ? "⌘ K" : "Ctrl K"}</kbd>
    </UnstyledButton>
  )
}
