/** Hands the text over as a file, byte for byte in UTF-8. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // The browser has taken its own hold on the file by the next turn; ours would keep the values in memory.
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}
