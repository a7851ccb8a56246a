import { isIPv4, isIPv6 } from "node:net"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [network: Address, bits: number]

/** Addresses and ranges, ready to be searched. */
export interface AddressRanges {
  has(ip: string): boolean
}

/** An entry that is not a range matches nothing. */
export function addressRanges(entries: readonly string[]): AddressRanges {
  const ranges = entries.flatMap((entry) => rangeOf(entry) ?? [])
  return {
    has(ip) {
      const address = addressOf(ip)
      return address !== undefined && ranges.some((range) => isInside(address, range))
    },
  }
}

function isInside(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

function rangeOf(entry: string): [Range] | undefined {
  const [ip = "", prefix] = entry.split("/")
  const network = addressOf(ip)
  if (network === undefined) return undefined
  const allBits = network.kind() === "ipv4" ? 32 : 128
  // As many bits fewer as the IPv4 address is shorter than the IPv6 address that it was written as.
  const skippedBits = network.kind() === "ipv4" && ip.includes(":") ? 96 : 0
  const bits = prefix === undefined ? allBits : Number(prefix) - skippedBits
  return bits >= 0 && bits <= allBits ? [[network, bits]] : undefined
}

/** IPv4 in the form of IPv6 counts as IPv4. The library also reads text such as 0x7f.1 as an address; Node does not. */
function addressOf(ip: string): Address | undefined {
  if (isIPv4(ip)) return ipaddr.IPv4.parse(ip)
  if (!isIPv6(ip) || ip.includes("%")) return undefined
  const address = ipaddr.IPv6.parse(ip)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}
