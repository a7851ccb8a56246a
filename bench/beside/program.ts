import { beginAttack } from "./attacks.ts"
import { type CrowdOrder, gather } from "./crowd.ts"
import { generate } from "./load.ts"
import { serveBareQueries, serveBytes } from "./servers.ts"

// What runs in a process of its own. It ends with the process that started it.

const jobs = {
  load: generate,
  attack: beginAttack,
  crowd: (order: CrowdOrder) => gather(order, tell),
  bytes: serveBytes,
  queries: serveBareQueries,
}

export type Jobs = typeof jobs

export interface Order {
  name: keyof Jobs
  order: unknown
}

/** What it says: the result of what it was asked to do, or why it failed. */
export interface Message<Result> {
  result?: Result
  error?: string
}

process.on("disconnect", () => process.exit())
process.on("message", async ({ name, order }: Order) => {
  try {
    tell(await jobs[name](order as never))
  } catch (error) {
    process.send?.({ error: (error as Error).message } satisfies Message<never>)
  }
})

function tell<Result>(result: Result): void {
  process.send?.({ result } satisfies Message<Result>)
}
