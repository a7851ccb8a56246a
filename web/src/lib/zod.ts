import { config } from "zod/v4"

export * from "zod/v4"

// The screens get this file where the contract imports zod, so this runs before the first schema is created: zod compiles
// schemas with `new Function`, which the security policy forbids, and every attempt would be reported as a violation.
config({ jitless: true })
