/*
 * A text area knows one line break. A value written with Windows line breaks throughout gets them back when it is
 * saved; one that mixes them can only keep what the text area shows once somebody edits it.
 */

export function toEditor(value: string): string {
  return value.replace(/\r\n?/g, "\n")
}

export function fromEditor(text: string, stored: string): string {
  const breaks = stored.match(/\r\n|\r|\n/g) ?? []
  return breaks.length > 0 && breaks.every((one) => one === "\r\n") ? text.replaceAll("\n", "\r\n") : text
}
