/** Whether the focused element was removed from the page or disabled. */
export function isFocusLost(page: Document = document): boolean {
  const now = page.activeElement
  return now === null || now === page.body || now.matches(":disabled")
}

export function isFocusInDialog(): boolean {
  return document.activeElement?.closest('[role="dialog"]') != null
}
