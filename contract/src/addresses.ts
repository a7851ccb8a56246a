import { z } from "zod"
import { limits } from "./limits.ts"

const range = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

/** Longer ones are not shown in a refusal. */
const shownCharacters = 50

/** IPv4 and IPv6 addresses and ranges, such as `203.0.113.7`, `10.0.0.0/8` or `2001:db8::/32`. None stands for all. */
export const addressRanges = z
  .array(z.string({ error: "An address must be text" }).trim().meta({ format: "ip-range" }), {
    error: "Addresses must be a list",
  })
  .max(limits.addressesPerKey, `A key can have at most ${limits.addressesPerKey} addresses and ranges`)
  .superRefine((entries, context) => {
    const wrong = entries.find((entry) => !range.safeParse(entry).success)
    if (wrong === undefined) return
    const shown = wrong.slice(0, shownCharacters)
    context.addIssue({ code: "custom", message: `Not an IP address or a range such as 10.0.0.0/8: “${shown}”` })
  })
  .overwrite((entries) => [...new Set(entries.map((entry) => entry.toLowerCase()))])
