export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/**
 * The key of a shortcut that is a single key, or undefined if the press means something else: typing in a field, a
 * combination of keys, or a key for the dialog or menu that is open.
 */
export function shortcutOf(event: KeyboardEvent): string | undefined {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return undefined
  if (isField(event.target) || isCovered()) return undefined
  // On many keyboards a question mark needs Shift.
  if (event.shiftKey && event.key !== "?") return undefined
  return event.key.length === 1 ? event.key.toLowerCase() : event.key
}

export function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable)
}

/** Whether a dialog or a menu is open. One that is going away covers nothing: the next key is meant for the page. */
export function isCovered(): boolean {
  return isShown('dialog[open], [role="dialog"], [role="menu"], [role="listbox"]')
}

export function isDialogOpen(): boolean {
  return isShown('dialog[open], [role="dialog"]')
}

function isShown(selector: string): boolean {
  return [...document.querySelectorAll(selector)].some((element) => element.closest("[data-closing]") === null)
}

/** Tells `isCovered` that a dialog is going away. */
export function closing(opened: boolean): { "data-closing"?: true } {
  return opened ? {} : { "data-closing": true }
}
