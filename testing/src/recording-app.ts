import type { ChangeEvent } from "@envkeep/server/core/core.ts"
import { testApp } from "./app.ts"

/** The real app, and every event that its changes record. */
export async function recordingApp(record: (event: ChangeEvent) => void = () => undefined, env = {}) {
  const events: ChangeEvent[] = []
  const app = await testApp({
    env,
    async record(_, event) {
      record(event)
      events.push(event)
      return 0
    },
  })
  return { app, events }
}
