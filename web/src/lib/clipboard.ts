import { notify } from "./notify.ts"

export async function copy(text: string): Promise<void> {
  if ((await written(text)) || copiedByHand(text)) notify.success("Copied to clipboard")
  else notify.error("Failed to copy to clipboard")
}

async function written(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** The older way, for pages that are not served securely: browsers give those no clipboard. */
function copiedByHand(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement("textarea")
  area.value = text
  area.readOnly = true
  area.style.position = "fixed"
  area.style.opacity = "0"
  // Beside what was pressed: an open dialog takes the focus back from anything outside it.
  const place = before?.closest('[role="dialog"]') ?? document.body
  place.append(area)
  try {
    area.focus({ preventScroll: true })
    area.select()
    return document.execCommand("copy")
  } catch {
    return false
  } finally {
    area.remove()
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  }
}
