import { config } from "zod"

// zod compiles schemas with `new Function`, which the security policy forbids: every attempt would be reported as a
// violation. This file must be imported before any schema is created.
config({ jitless: true })
