import { config } from "zod"

// Compiled checks need `new Function`, which the security policy refuses: every probe for it would be a reported
// violation. This file is imported before any schema is made.
config({ jitless: true })
