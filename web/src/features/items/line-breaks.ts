/*
 * A text area has only one kind of line break. A value with Windows line breaks throughout gets them back when it is
 * saved. A value that mixes them is saved with the line breaks of the text area once it is edited.
 */

export function toEditor(value: string): string {
  return value.replace(/\r\n?/g, "\n")
}

export function fromEditor(text: string, stored: string): string {
  const breaks = stored.match(/\r\n|\r|\n/g) ?? []
  return breaks.length > 0 && breaks.every((one) => one === "\r\n") ? text.replaceAll("\n", "\r\n") : text
}
