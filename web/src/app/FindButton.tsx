import { UnstyledButton } from "@mantine/core"
import { IconSearch } from "@tabler/icons-react"
import { type ComponentProps, type ComponentType, useEffect, useEffectEvent, useState } from "react"
import type { FindDialog } from "../features/find/FindDialog.tsx"
import { unreachable } from "../lib/api.ts"
import { notify } from "../lib/notify.ts"
import { Icon } from "../ui/Icon.tsx"
import { isCovered, isField, isMac } from "../ui/shortcut.ts"
import { loadFind } from "./screens.ts"

/** Looks like a field, and opens the search. So do Ctrl+K and Cmd+K. */
export function FindButton() {
  const [opened, setOpened] = useState(false)
  const [Find, setFind] = useState<ComponentType<ComponentProps<typeof FindDialog>>>()
  const close = () => setOpened(false)

  async function open() {
    setOpened(true)
    try {
      const loaded = await loadFind()
      setFind(() => loaded)
    } catch {
      close()
      notify.error(unreachable)
    }
  }
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (!isFindKey(event)) return
    if (opened) close()
    // What is typed into a dialog would be lost.
    else if (isCovered()) return
    else void open()
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event)
    // The back button closes it. A page that tidies its address, or one that is still loading, does not.
    const goBack = () => setOpened(false)
    addEventListener("keydown", listen)
    addEventListener("popstate", goBack)
    return () => {
      removeEventListener("keydown", listen)
      removeEventListener("popstate", goBack)
    }
  }, [])
  return (
    <>
      <UnstyledButton
        className="nav-bar__find"
        // The name where there is no room for the text.
        title="Find"
        aria-haspopup="dialog"
        aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"}
        onClick={open}
      >
        <Icon shape={IconSearch} />
        <span className="nav-bar__find-text">Find…</span>
        <kbd className="nav-bar__find-key">{isMac ? "⌘ K" : "Ctrl K"}</kbd>
      </UnstyledButton>
      {Find !== undefined && <Find opened={opened} onClose={close} />}
    </>
  )
}

/** In a field on a Mac, Ctrl+K deletes to the end of the line. */
function isFindKey(event: KeyboardEvent): boolean {
  const isOurs = event.metaKey || (event.ctrlKey && !(isMac && isField(event.target)))
  return isOurs && !event.altKey && !event.shiftKey && !event.isComposing && event.key.toLowerCase() === "k"
}
