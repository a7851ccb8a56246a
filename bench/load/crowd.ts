import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Cleanup } from "../cleanup.ts"
import type { CrowdAnswer, CrowdOrder } from "./crowd-process.ts"

/** Connections that each send one request and then only wait. */
export interface Crowd {
  /** Opens all of them. Resolves when each has got its first answer. */
  gather(order: CrowdOrder): Promise<void>
  /** Resolves when each of them has got one more event, with the time of the last one: see `systemMs`. */
  allHear(): Promise<number>
  /** Closes all of them. */
  leave(): Promise<void>
}

/** A clock that all processes of the machine share. */
export const systemMs = () => Number(process.hrtime.bigint()) / 1e6

/** In a process of its own: one process may not open the files for both sides, and would delay its own measurements. */
export function startCrowd(cleanup: Cleanup): Crowd {
  const child = fork(join(import.meta.dirname, "crowd-process.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const ended = once(child, "exit")
  cleanup.later(leave)
  return {
    async gather(order) {
      const heard = allHear()
      child.send(order)
      await heard
    },
    allHear,
    leave,
  }

  async function allHear(): Promise<number> {
    const answer = await Promise.race([once(child, "message"), ended.then(() => undefined)])
    if (answer === undefined) throw new Error("the crowd ended")
    const { heardAtMs, fault } = answer[0] as CrowdAnswer
    if (fault !== undefined) throw new Error(fault)
    return heardAtMs
  }

  async function leave(): Promise<void> {
    if (child.connected) child.disconnect()
    await ended
  }
}
