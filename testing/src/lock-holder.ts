import pg from "pg"
import { onTestFinished } from "vitest"
import type { TestApp } from "./app.ts"

/** A connection to the app's PostgreSQL that can hold locks, and how many others wait for one. */
export async function lockHolder({ location }: TestApp) {
  const connect = async () => {
    const client = new pg.Client(location.databaseUrl)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const [holder, observer] = [await connect(), await connect()]
  const waitingForLock = async () => {
    const { rows } = await observer.query(
      "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return rows.length
  }
  return { holder, waitingForLock }
}
