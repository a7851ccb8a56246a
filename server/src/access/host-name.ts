import { domainToASCII } from "node:url"

/**
 * A plain host name as both sides of a comparison write it: `bücher.example` and `xn--bcher-kva.example` are the same. Anything
 * else is undefined: `domainToASCII` reads a URL, so for it `corp.example/.evil.example` is corp.example, too. So are letters
 * that only stand for others, such as full-width ones.
 */
export function asciiHostName(text: string): string | undefined {
  if (text.normalize("NFKC") !== text.normalize("NFC") || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return undefined
  // An ASCII name is taken as it is. Of numbers, the parser of URLs makes an address.
  const ascii = isAscii(text) ? text.toLowerCase() : domainToASCII(text)
  return /^[a-z\d-]+(\.[a-z\d-]+)*$/.test(ascii) ? ascii : undefined
}

export function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text)
}
