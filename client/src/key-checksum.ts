const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Finds a typo in an API key without asking the server. */
export function hasValidChecksum(key: string): boolean {
  return /^ek_[0-9A-Za-z]{46}$/.test(key) && checksum(key.slice(0, 43)) === key.slice(43)
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ""
  for (let place = 0; place < 6; place++) {
    digits = base62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Written by hand because early versions of Node 20 have no crc32 in node:zlib. */
function crc32(text: string): number {
  let crc = -1
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
