import { isIPv4, isIPv6 } from "node:net"

/**
 * What one visitor can be expected to hold: an IPv4 address, or the /64 network of an IPv6 address, within which anyone
 * can make up as many addresses as they like.
 */
export function addressBlock(address: string): string {
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (v4 !== undefined) return v4
  if (isIPv4(address)) return address
  // A trusted proxy may pass on anything as an address; only what is one counts as one.
  if (!isIPv6(address)) return "unknown"
  const [head = "", tail] = address.split("::")
  const before = head.split(":").filter(Boolean)
  const after = (tail ?? "").split(":").filter(Boolean)
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0")
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`
}
