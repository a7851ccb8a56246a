import { BlockList, isIP } from "node:net"

// Which addresses a webhook may reach. Anyone who may add a webhook could otherwise have the server call what only the
// server can reach: itself, its database, the machines beside it, the metadata of its cloud.

export interface AddressPolicy {
  allows(address: string): boolean
  /** Names that the operator listed: whatever they lead to is allowed. */
  trusts(host: string): boolean
}

/** Everything that is not an ordinary address of the internet, by the registries of IANA. */
const specialIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Looks like any other, but each machine of Azure reaches the services of its host there.
  "168.63.129.16/32",
]

const globalIpv6 = ["2000::/3"]
const specialIpv6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]

/** Addresses in which an IPv4 address is written, which decides: mapped ones, and those of NAT64. */
const embedding = listOf(["::ffff:0:0/96", "64:ff9b::/96"])

/** What `private` in the setting stands for. Link-local addresses are not in it: clouds have their metadata there. */
const privateRanges = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "::1",
  "fc00::/7",
]

const refusedIpv4 = listOf(specialIpv4)
const allowedIpv6 = listOf(globalIpv6)
const refusedIpv6 = listOf(specialIpv6)

/** `allowed` lists the word `private`, addresses, ranges, and names of hosts. */
export function addressPolicy(allowed: readonly string[]): AddressPolicy {
  const isRange = (entry: string) => isIP(entry.split("/")[0] ?? "") !== 0
  const ranges = allowed.flatMap((entry) => (entry === "private" ? privateRanges : isRange(entry) ? [entry] : []))
  const listed = listOf(ranges)
  const hosts = new Set(
    allowed.filter((entry) => entry !== "private" && !isRange(entry)).map((host) => host.toLowerCase()),
  )
  return {
    allows: (address) => isPublic(address) || isIn(listed, embeddedIpv4(address) ?? address),
    trusts: (host) => hosts.has(host.toLowerCase()),
  }
}

function isPublic(address: string): boolean {
  const ipv4 = embeddedIpv4(address) ?? address
  if (isIP(ipv4) === 4) return !isIn(refusedIpv4, ipv4)
  return isIP(ipv4) === 6 && isIn(allowedIpv6, ipv4) && !isIn(refusedIpv6, ipv4)
}

function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6 || !embedding.check(address, "ipv6")) return undefined
  // The parser of URLs writes it in hexadecimal groups.
  const { hostname = "" } = URL.parse(`http://[${address}]`) ?? {}
  const [high = 0, low = 0] = hostname
    .slice(1, -1)
    .split(":")
    .slice(-2)
    .map((group) => Number.parseInt(group || "0", 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = "", bits] = range.split("/")
    const family = isIP(address) === 4 ? "ipv4" : "ipv6"
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}
