/**
 * The network of a caller's address, by which events name where a call came from: the /24 of an IPv4 address, the /48 of
 * an IPv6 one. Enough to recognise a place, and not the address of a person.
 */
export function networkOf(address: string): string {
  const [a, b, c, d] = address.split(".")
  if (d !== undefined) return `${a}.${b}.${c}.0/24`
  // As `addressBlock` writes it: four groups and `::/64`.
  const groups = address.split(":")
  return groups.length < 4 ? address : `${groups.slice(0, 3).join(":")}::/48`
}
