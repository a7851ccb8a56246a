import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Cleanup } from "./cleanup.ts"

// Programs of this folder that run in a process of their own: load, attacks, and what the product is compared with.

/** What such a program says: the result of what it was asked to do, or why it failed. */
interface Message<Result> {
  result?: Result
  error?: string
}

export interface SideProcess {
  /** Asks it to do something, and resolves with the result. */
  ask<Result>(order: object): Promise<Result>
  /** What it says next, without being asked. */
  next<Result>(): Promise<Result>
  end(): Promise<void>
}

/**
 * Starts a program that calls `answer`. One that `isIdle` is in the kernel's idle class, whose threads stop at once when
 * another one has something to do. Beside a thread that is merely nice, the kernel lets others wait for up to a tick of its
 * clock.
 */
export function startSideProcess(
  { later }: Pick<Cleanup, "later">,
  file: string,
  { isIdle = false } = {},
): SideProcess {
  const flags = ["--disable-warning=ExperimentalWarning"]
  const child = fork(join(import.meta.dirname, file), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    ...(isIdle ? { execPath: "chrt", execArgv: ["--idle", "0", process.execPath, ...flags] } : { execArgv: flags }),
  })
  const ended = once(child, "exit")
  later(end)
  return {
    async ask(order) {
      const answered = next<never>()
      child.send(order)
      return answered
    },
    next,
    end,
  }

  async function next<Result>(): Promise<Result> {
    const gone = ended.then(([code]) => [{ error: `${file} ended (${code})` }])
    const [{ result, error }] = (await Promise.race([once(child, "message"), gone])) as [Message<Result>]
    if (error !== undefined) throw new Error(error)
    return result as Result
  }

  async function end(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await ended
  }
}

/** In such a program: what it does when it is asked. It ends with the process that started it. */
export function answer<Order, Result>(act: (order: Order) => Promise<Result> | Result): void {
  process.on("disconnect", () => process.exit())
  process.on("message", async (order: Order) => {
    try {
      tell(await act(order))
    } catch (error) {
      process.send?.({ error: (error as Error).message } satisfies Message<Result>)
    }
  })
}

export function tell<Result>(result: Result): void {
  process.send?.({ result } satisfies Message<Result>)
}
