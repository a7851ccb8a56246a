/** A file from Windows, without its carriage returns. In any other file they are a part of a value. */
export function withUnixBreaks(text: string): string {
  const source = text.replace(/^\ufeff/, "")
  return /(?:^|[^\r])\n/.test(source) ? source : source.replaceAll("\r\n", "\n")
}
