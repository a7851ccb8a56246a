import type { FormatName } from "@envkeep/formats"

// By this mark the next `envkeep save` knows that it may replace the file. Every reader skips it: it is a comment, or in
// the two formats that have no comments, a last line with nothing but a tab.
const comment = "# Written by envkeep save, which replaces the whole file."
const lastLine = "\n\t\n"
const withoutComments: FormatName[] = ["json", "raw"]

export function withMark(text: string, format: FormatName): string {
  return withoutComments.includes(format) ? text.replace(/\n?$/, lastLine) : `${comment}\n${text}`
}

/** A file of other programs may end in the same line. So what comes before it must look like one of the two formats. */
export function hasMark(text: string): boolean {
  if (text.startsWith(comment)) return true
  if (!text.endsWith(lastLine)) return false
  const content = text.slice(0, -lastLine.length)
  return content === "" || content.split("\n").every(isRawLine) || isJsonOfStrings(content)
}

/** A name has no space at either end. */
function isRawLine(line: string): boolean {
  return /^[^\s=]([^=]*[^\s=])?=/.test(line)
}

function isJsonOfStrings(text: string): boolean {
  try {
    return text.startsWith("{") && Object.values(JSON.parse(text)).every((value) => typeof value === "string")
  } catch {
    return false
  }
}
