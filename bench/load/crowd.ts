import type { Cleanup } from "../cleanup.ts"
import { startSideProcess } from "../side-process.ts"

export interface CrowdOrder {
  port: number
  size: number
  request: string
  /** A piece of each event. */
  event: string
}

/** Connections that each send one request and then only wait. */
export interface Crowd {
  /** Resolves when each of them has got one more event, with the time of the last one: see `systemMs`. */
  allHear(): Promise<number>
  /** Closes all of them. */
  leave(): Promise<void>
}

/** A clock that all processes of the machine share. */
export const systemMs = () => Number(process.hrtime.bigint()) / 1e6

/**
 * Opens all of them, and resolves when each has got its first answer. They are in a process of their own: one process may
 * not open the files for both sides, and would delay its own measurements.
 */
export async function gatherCrowd(cleanup: Cleanup, order: CrowdOrder): Promise<Crowd> {
  const crowd = startSideProcess(cleanup, "load/crowd-process.ts")
  await crowd.ask(order)
  return { allHear: crowd.next, leave: crowd.end }
}
