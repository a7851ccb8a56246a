import { limits } from "@envkeep/contract"
import { CloseButton } from "@mantine/core"
import { IconSearch } from "@tabler/icons-react"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from "react"
import { createPortal } from "react-dom"
import { closeFind, offerSlot, openFind, useFind } from "../lib/find-window.ts"
import { userQuery } from "../lib/state.ts"
import { Icon } from "../ui/Icon.tsx"
import { isDialogOpen, isField, isMac } from "../ui/shortcut.ts"
import { useIsPhone } from "../ui/use-max-width.ts"
import "./find-window.css"

/**
 * Opens with Ctrl+K or Cmd+K, also while the first page is still being loaded. It is not part of a page, so that none that
 * is rendered later takes what was typed.
 */
export function FindWindow() {
  const { data: user, isPending } = useQuery(userQuery)
  const { opened, withheld = false } = useFind()
  const isAvailable = (isPending || user != null) && !withheld

  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (!isFindKey(event) || !isAvailable) return
    // The browser would search the web for what is typed next.
    event.preventDefault()
    if (event.repeat) return
    if (opened) closeFind()
    // What is typed into a dialog would be lost.
    else if (!isDialogOpen()) openFind()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event)
    addEventListener("keydown", listen)
    // The back button closes it. A page that tidies its address, or one that is still loading, does not.
    addEventListener("popstate", closeFind)
    return () => {
      removeEventListener("keydown", listen)
      removeEventListener("popstate", closeFind)
    }
  }, [])
  useEffect(() => {
    if (!isAvailable) closeFind()
  }, [isAvailable])

  return opened && isAvailable && createPortal(<OpenWindow />, document.body)
}

/** In a field on a Mac, Ctrl+K deletes to the end of the line. */
function isFindKey(event: KeyboardEvent): boolean {
  const isOurs = event.metaKey || (event.ctrlKey && !(isMac && isField(event.target)))
  return isOurs && !event.altKey && !event.shiftKey && !event.isComposing && event.key.toLowerCase() === "k"
}

function OpenWindow() {
  const dialog = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const body = useRef<HTMLDivElement>(null)

  // The browser's own dialog: from this moment the page behind can neither be typed into nor take the focus. When it is
  // closed, the focus returns to where it was.
  useLayoutEffect(() => {
    if (dialog.current === null || field.current === null || body.current === null) return
    const close = show(dialog.current)
    field.current.focus()
    offerSlot({ field: field.current, body: body.current, ...holdKeys(field.current) })
    return close
  }, [])

  return (
    <dialog ref={dialog} className="find-window" aria-label="Find" aria-modal="true">
      <div className="find-window__head">
        <Icon shape={IconSearch} />
        <input
          ref={field}
          className="find-window__field"
          role="combobox"
          aria-label="Find"
          aria-expanded="false"
          aria-autocomplete="list"
          // A field with the focus cuts what is too long in the middle of a letter.
          placeholder={useIsPhone() ? "Find anything by name" : "Find collections, environments, variables, actions"}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={limits.itemName}
        />
        <CloseButton aria-label="Close" onClick={closeFind} />
      </div>
      <div ref={body} className="find-window__body" />
      <div className="find-window__waiting">Loading…</div>
    </dialog>
  )
}

/** Shows it above the page, which does not scroll behind it. Returns what closes it. */
function show(dialog: HTMLDialogElement): () => void {
  function handleKey(event: KeyboardEvent) {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return
    event.preventDefault()
    closeFind()
  }
  function handlePress(event: MouseEvent) {
    // The focus stays in the field, whatever is clicked.
    if (!isField(event.target)) event.preventDefault()
    if (event.target === dialog) closeFind()
  }
  // Not if it was opened again in the same moment.
  const handleClosed = () => dialog.open || closeFind()

  const page = document.documentElement
  const before = { overflow: page.style.overflow, scrollbarGutter: page.style.scrollbarGutter }
  // The page keeps its width where it has a scrollbar.
  const hasScrollbar = innerWidth > page.clientWidth
  Object.assign(page.style, { overflow: "hidden", ...(hasScrollbar && { scrollbarGutter: "stable" }) })
  dialog.addEventListener("keydown", handleKey)
  dialog.addEventListener("mousedown", handlePress)
  // The back button of a phone closes it without any of this.
  dialog.addEventListener("close", handleClosed)
  dialog.showModal()
  return () => {
    dialog.removeEventListener("keydown", handleKey)
    dialog.removeEventListener("mousedown", handlePress)
    dialog.removeEventListener("close", handleClosed)
    Object.assign(page.style, before)
    dialog.close()
  }
}

const keysForList = ["ArrowDown", "ArrowUp", "Enter"]

/** Keeps the presses of keys for the list until there is one. Those that come before more text mean nothing. */
function holdKeys(field: HTMLInputElement) {
  const heldKeys: string[] = []
  const taken = new AbortController()
  const { signal } = taken
  const hold = (event: KeyboardEvent) => {
    if (event.isComposing || !keysForList.includes(event.key)) return
    event.preventDefault()
    heldKeys.push(event.key)
  }
  field.addEventListener("keydown", hold, { signal })
  field.addEventListener("input", () => heldKeys.splice(0), { signal })
  return { heldKeys, takeKeys: () => taken.abort() }
}
