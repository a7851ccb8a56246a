import type { FormatName } from "@envkeep/formats"

// By this mark the next `envkeep save` knows that it may replace the file. Every reader skips it: it is a comment, or in
// the two formats that have no comments, a last line with nothing but a tab.
const comment = "# Written by envkeep save, which replaces the whole file."
const lastLine = "\n\t\n"
const withoutComments: FormatName[] = ["json", "raw"]

export function withMark(text: string, format: FormatName): string {
  return withoutComments.includes(format) ? text.replace(/\n?$/, lastLine) : `${comment}\n${text}`
}

export function hasMark(text: string): boolean {
  return text.startsWith(comment) || text.endsWith(lastLine)
}
