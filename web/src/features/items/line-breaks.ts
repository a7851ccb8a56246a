/*
 * A text area has only one kind of line break. A value that was not edited is saved as it was, byte for byte. An edited one
 * with Windows line breaks throughout gets them back; one that mixes them is saved with those of the text area.
 */

export function toEditor(value: string): string {
  return value.replace(/\r\n?/g, "\n")
}

export function fromEditor(text: string, stored: string): string {
  if (text === toEditor(stored)) return stored
  const breaks = stored.match(/\r\n|\r|\n/g) ?? []
  return breaks.length > 0 && breaks.every((one) => one === "\r\n") ? text.replaceAll("\n", "\r\n") : text
}
