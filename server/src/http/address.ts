import type { IncomingMessage } from "node:http"
import { isIPv4, isIPv6 } from "node:net"
import proxyAddress from "@fastify/proxy-addr"
import ipaddr from "ipaddr.js"

/**
 * What one visitor can be expected to hold: an IPv4 address, or the /64 network of an IPv6 address, within which anyone
 * can make up as many addresses as they like.
 */
export function addressBlock(address: string | undefined): string {
  // Of a connection that has closed since.
  if (address === undefined) return "unknown"
  // A socket that serves both kinds reports IPv4 in this form. Parsing it would cost 4 µs a request.
  const unmapped = address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address
  if (isIPv4(unmapped)) return unmapped
  // A trusted proxy may pass on any text. The library also reads text such as 0x7f.1 as an address; Node does not.
  if (!isIPv6(address)) return "unknown"
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(":")}::/64`
}

/** Whose `X-Forwarded-For` is believed: none, those at these addresses, or those that the function accepts. */
export type TrustedProxies = false | string[] | ((address: string, hop: number) => boolean)

/** The address of a request that does not go through Fastify. The library is the one that Fastify asks. */
export function addressesBehind(trusted: TrustedProxies): (request: IncomingMessage) => string {
  if (trusted === false) return ({ socket }) => socket.remoteAddress ?? ""
  const isTrusted = typeof trusted === "function" ? trusted : proxyAddress.compile(trusted)
  return (request) => proxyAddress(request, isTrusted)
}
