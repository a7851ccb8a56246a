import { test } from "vitest"
import { engine } from "./database.ts"

/** Whether this run of a file takes all of its cases: on SQLite, and in `npm run test:long` on PostgreSQL too. */
export const takesAll = engine === "sqlite" || process.env["TEST_DURATION"] === "long"

/**
 * Instead of Vitest's `test`, for what does not depend on the engine, and for what a smaller test shows on PostgreSQL at a
 * tenth of the cost: `npm test` runs it on SQLite only, `npm run test:long` on PostgreSQL too.
 */
export const testOnce = test.runIf(takesAll)
