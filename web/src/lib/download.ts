/** Downloads the text as a UTF-8 file. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // By then the browser has its own reference. Ours would keep the values in memory.
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}
