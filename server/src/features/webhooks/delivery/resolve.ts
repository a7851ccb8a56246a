import { lookup, Resolver } from "node:dns/promises"
import { isIP } from "node:net"
import type { AddressPolicy } from "./addresses.ts"

/** All addresses of a name. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>

export class AddressRefusedError extends Error {
  override name = "AddressRefusedError"
}

const loopback = ["127.0.0.1", "::1"]

/** The host of a URL as it is resolved and checked: an IPv6 address has no brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
}

/** What can be refused before anything is resolved. The parser of URLs has made `0x7f.1` and the like plain addresses. */
export function isRefusedLiterally(url: URL, policy: AddressPolicy): boolean {
  const host = hostOf(url)
  if (policy.trusts(host)) return false
  const addresses = isIP(host) !== 0 ? [host] : isLocalhost(host) ? loopback : []
  return addresses.some((address) => !policy.allows(address))
}

/**
 * The addresses to connect to, each of them checked. The name must not be resolved again after this: the next answer may be
 * another one.
 */
export async function checkedAddresses(
  url: URL,
  { policy, resolve }: { policy: AddressPolicy; resolve: Resolve },
  signal: AbortSignal,
): Promise<string[]> {
  const host = hostOf(url)
  if (policy.trusts(host)) return isIP(host) === 0 ? resolveBySystem(host) : [host]
  const addresses = isIP(host) !== 0 ? [host] : isLocalhost(host) ? loopback : await resolve(host, signal)
  if (addresses.some((address) => !policy.allows(address))) throw new AddressRefusedError("the address is not allowed")
  return addresses
}

function isLocalhost(host: string): boolean {
  return /(^|\.)localhost$/i.test(host)
}

/** With the files and search domains of the machine. Only for names that the operator listed: it takes a thread. */
async function resolveBySystem(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

const dnsTimeoutMs = 2_000

/** By DNS alone. The system's way takes one of a few threads, and names that do not answer would keep them all busy. */
export async function resolveByDns(host: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 2 })
  const cancel = () => resolver.cancel()
  signal.addEventListener("abort", cancel)
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [ipv4, ipv6].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
    if (found.length === 0 && ipv4.status === "rejected") throw ipv4.reason
    return found
  } finally {
    signal.removeEventListener("abort", cancel)
  }
}
