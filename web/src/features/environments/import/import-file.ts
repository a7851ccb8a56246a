import { limits } from "@envkeep/contract"

/** The text of the one file, or the sentence that says why there is none. */
export async function readFile(files: File[]): Promise<{ name: string; text: string } | { refusal: string }> {
  const [file] = files
  if (file === undefined) return { refusal: "No file was given" }
  if (files.length > 1) return { refusal: `One file at a time, please: these are ${files.length}` }
  if (file.size > limits.bulkBodyBytes) {
    return { refusal: `${file.name} is larger than ${limits.bulkBodyBytes / 1024 / 1024} MiB, more than can be saved` }
  }
  const bytes = await file.arrayBuffer().catch(() => undefined)
  if (bytes === undefined) return { refusal: `${file.name} cannot be read. Is it a folder?` }
  const text = decode(bytes)
  return text === undefined ? { refusal: `${file.name} is not a text file in UTF-8` } : { name: file.name, text }
}

/** Nothing for what is no UTF-8 text: guessing at it would store values that nobody wrote. */
function decode(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}
