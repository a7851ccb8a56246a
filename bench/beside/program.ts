import type { Load } from "../bench.ts"
import type { AttackOrder } from "./attacks.ts"
import type { CrowdOrder } from "./crowd.ts"
import type { BareQueries } from "./servers.ts"

// What runs in a process of its own. It ends with the process that started it. Each loads only what it needs: an attacker
// gets so little of a busy machine that it would take long to load the rest.

const jobs = {
  load: async (order: Load) => (await import("./load.ts")).generate(order),
  attack: async (order: AttackOrder) => (await import("./attacks.ts")).beginAttack(order),
  crowd: async (order: CrowdOrder) => (await import("./crowd.ts")).gather(order, tell),
  bytes: async (order: { body: string }) => (await import("./servers.ts")).serveBytes(order),
  queries: async (order: BareQueries) => (await import("./servers.ts")).serveBareQueries(order),
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
