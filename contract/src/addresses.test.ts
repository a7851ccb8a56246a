import { expect, test } from "vitest"
import { addressRanges } from "./addresses.ts"

test("addresses and ranges of both kinds are taken; anything else is refused by name", () => {
  const taken = [
    "203.0.113.7",
    "10.0.0.0/8",
    "0.0.0.0/0",
    "::1",
    "2001:db8::/32",
    "::ffff:10.1.2.3",
    "::ffff:10.0.0.0/104",
  ]
  expect(addressRanges.parse(taken)).toEqual(taken)
  expect(addressRanges.parse([" 10.0.0.1 ", "10.0.0.1", "2001:DB8::1"])).toEqual(["10.0.0.1", "2001:db8::1"])
  const wrong = [
    "10.0.0.0/33",
    "10.0.0",
    "10.0.0.256",
    "2001:db8::/129",
    "example.com",
    "fe80::1%eth0",
    "10.0.0.0/8,10.1.0.0/16",
    "",
    "0x7f.1",
    "010.0.0.1",
    "::1/",
    "/8",
    "10.0.0.0 /8",
  ]
  for (const entry of wrong) {
    const { error } = addressRanges.safeParse(["10.0.0.1", entry])
    expect(error?.issues[0]?.message, entry).toBe(`Not an IP address or a range such as 10.0.0.0/8: “${entry}”`)
  }
  expect(addressRanges.safeParse(Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`)).error?.issues[0]?.message).toBe(
    "A key can have at most 50 addresses and ranges",
  )
})
