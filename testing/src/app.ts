import { onTestFinished } from "vitest"
import { newMigratedStore } from "./database.ts"
import { type RunOptions, runApp } from "./running-app.ts"
import type { StoreLocation } from "./store-location.ts"
import { watchAppForLeaks } from "./watch-app-for-leaks.ts"

export { password } from "./running-app.ts"

export type TestApp = Awaited<ReturnType<typeof testApp>>

/** The real app on a real database (a new one unless `location` is given), with users to call it. */
export async function testApp({ location, ...options }: RunOptions & { location?: StoreLocation } = {}) {
  const hasAllTables = location === undefined
  const running = await runApp(location ?? (await newMigratedStore()), { ...options, hasAllTables })
  watchAppForLeaks(running.app, running.log, running.rootKey)
  onTestFinished(running.close)
  return running
}
