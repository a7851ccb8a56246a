import { openBare } from "../bare-driver.ts"
import { keepTiming } from "../load/keep-timing.ts"
import { openLine } from "../load/line.ts"
import type { Product } from "../product.ts"
import { bulkRequest, login, newCollection, newEnvironment } from "../stock.ts"
import type { StoreLocation } from "../store.ts"
import { emailOf } from "./people.ts"

/** Someone who writes all the time. */
export interface Writer {
  /** How long each write took since this was asked last, in ms. */
  take(): number[]
  stop(): Promise<void>
}

const pauseMs = 5

/** Changes a value through the product, as people do. */
export async function startWriter({ url, port }: Product): Promise<Writer> {
  const cookie = await login(url, emailOf(1))
  const collectionId = await newCollection(url, cookie, "written")
  const environmentId = await newEnvironment(url, { cookie, collectionId, name: "all the time" })
  const line = await openLine(port)
  const write = () => {
    return line.ask(bulkRequest(cookie, environmentId, [{ name: "A", value: String(performance.now()) }]), 200)
  }
  const { take, stop } = keepTiming(write, pauseMs)
  return { take, stop: () => stop().then(line.close) }
}

/** Writes to the tables as a node of an earlier version does while another one migrates. */
export async function startBareWriter(location: StoreLocation): Promise<Writer> {
  const { query, close } = await openBare(location)
  const statements = [
    "begin",
    "update session set seen_at = seen_at + 1 where id = 1",
    "update environment set changed_at = changed_at + 1 where id = 1",
    "update item set revision = revision where id = 1",
    "update item_version set erased_by = null where id = 1",
    "update api_key set last_used_at = last_used_at + 1 where id = 1",
    'update "user" set last_sign_in_at = last_sign_in_at + 1 where id = 1',
    "commit",
  ]
  const write = async () => {
    for (const statement of statements) await query(statement)
  }
  const { take, stop } = keepTiming(write, pauseMs)
  return { take, stop: () => stop().then(close) }
}
