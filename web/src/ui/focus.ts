/** Whether the focused element was removed from the page or disabled. */
export function isFocusLost(): boolean {
  const now = document.activeElement
  return now === null || now === document.body || now.matches(":disabled")
}

export function isFocusInDialog(): boolean {
  return document.activeElement?.closest('[role="dialog"]') != null
}
