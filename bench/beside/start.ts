import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Cleanup } from "../bench.ts"
import type { Jobs, Message, Order } from "./program.ts"

/** A process of its own for what runs beside: load, crowds, attacks, and what the product is compared with. */
export interface Beside {
  /** Asks it to do something, and resolves with the result. */
  ask<Name extends keyof Jobs>(name: Name, order: Parameters<Jobs[Name]>[0]): Promise<Awaited<ReturnType<Jobs[Name]>>>
  /** What it says next, without being asked. */
  next<Result>(): Promise<Result>
  end(): Promise<void>
}

/**
 * Starts such a process. One that `isIdle` is in the kernel's idle class, whose threads stop at once when another one has
 * something to do. Beside a thread that is merely nice, the kernel lets others wait for up to a tick of its clock.
 */
export function startBeside(cleanup: Cleanup, { isIdle = false } = {}): Beside {
  const flags = ["--disable-warning=ExperimentalWarning"]
  const child = fork(join(import.meta.dirname, "program.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    ...(isIdle ? { execPath: "chrt", execArgv: ["--idle", "0", process.execPath, ...flags] } : { execArgv: flags }),
  })
  const ended = once(child, "exit")
  cleanup.defer(end)
  return {
    async ask(name, order) {
      const answered = next<never>()
      child.send({ name, order } satisfies Order)
      return answered
    },
    next,
    end,
  }

  async function next<Result>(): Promise<Result> {
    const gone = ended.then(([code]) => [{ error: `what ran beside ended (${code})` }])
    const [{ result, error }] = (await Promise.race([once(child, "message"), gone])) as [Message<Result>]
    if (error !== undefined) throw new Error(error)
    return result as Result
  }

  async function end(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await ended
  }
}
