import { limits } from "@envkeep/contract"

/** The text of the file, or why it cannot be read. */
export async function readFile(files: File[]): Promise<{ name: string; text: string } | { refusal: string }> {
  const [file] = files
  if (file === undefined) return { refusal: "No file was chosen" }
  if (files.length > 1) return { refusal: `Choose one file at a time, not ${files.length}` }
  if (file.size > limits.bulkBodyBytes) {
    return {
      refusal: `${file.name} is larger than ${limits.bulkBodyBytes / 1024 / 1024} MiB, the most that can be saved`,
    }
  }
  const bytes = await file.arrayBuffer().catch(() => undefined)
  if (bytes === undefined) return { refusal: `${file.name} cannot be read. Is it a folder?` }
  const text = decode(bytes)
  return text === undefined ? { refusal: `${file.name} is not a text file in UTF-8` } : { name: file.name, text }
}

/**
 * Undefined if it is not text in UTF-8, or in UTF-16 with a byte order mark, which PowerShell writes. A guess at the
 * encoding could store wrong values.
 */
function decode(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

function encodingOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes.slice(0, 2))
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"
}
