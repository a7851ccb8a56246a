import { test } from "vitest"
import { engine } from "./database.ts"

/**
 * Instead of Vitest's `test`, for what does not depend on the engine: it runs once, on SQLite. Everything else on the server
 * runs on both engines.
 */
export const testOnce = test.runIf(engine === "sqlite")
