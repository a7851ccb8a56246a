const units = ["B", "kB", "MB", "GB", "TB"] as const

/** A size as people read it: "512 B", "1.5 kB", "20 MB". */
export function sizeInWords(bytes: number): string {
  let [size, unit] = [bytes, 0]
  // 999.95 would be written as 1,000.
  while (size >= 999.95 && unit < units.length - 1) {
    size /= 1_000
    unit++
  }
  const digits = unit > 0 && size < 10 ? 1 : 0
  return `${size.toLocaleString("en-US", { maximumFractionDigits: digits })} ${units[unit]}`
}
