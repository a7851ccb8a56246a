import { CommandError } from "./messages.ts"

/**
 * The text in these bytes. Other encodings are refused, because what cannot be decoded would be replaced without a word. A
 * byte order mark is left to those who read the text.
 */
export function textIn(what: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CommandError(`${what} is not in UTF-8`, "convert it to UTF-8, or encode what is not text as base64")
  }
}
