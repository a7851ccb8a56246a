/** What the user is told about a copy. */
export const copySentences = { success: "Copied to clipboard", error: "Failed to copy to clipboard" }

/** Puts text on the clipboard. False if the browser refuses. */
export async function writeClipboard(text: string): Promise<boolean> {
  return (await writeText(text)) || copyBySelection(text)
}

async function writeText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** For pages served over plain HTTP, where browsers have no `navigator.clipboard`. */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement("textarea")
  area.value = text
  area.readOnly = true
  area.style.position = "fixed"
  area.style.opacity = "0"
  // Inside the open dialog, if there is one: its focus trap would move the focus back.
  const parent = focused?.closest('[role="dialog"]') ?? document.body
  parent.append(area)
  try {
    area.focus({ preventScroll: true })
    area.select()
    return document.execCommand("copy")
  } catch {
    return false
  } finally {
    area.remove()
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
}
