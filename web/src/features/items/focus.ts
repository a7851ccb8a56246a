/** Whether what had the focus was taken off the page or switched off. */
export function isFocusLost(): boolean {
  const now = document.activeElement
  return now === null || now === document.body || now.matches(":disabled")
}

/** After an item was deleted: on to the next one, or to where a new one is typed. */
export function focusAfterDeletion(environmentId: number, nextId: number | undefined): void {
  const field =
    document.querySelector<HTMLElement>(`[data-item="${nextId}"] textarea`) ??
    document.querySelector<HTMLElement>(`[data-add-item="${environmentId}"] input`)
  field?.focus()
}
