import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, id, shown } from "./text.ts"

/**
 * How a program that reads with a key names itself: a label, percent-encoded, then `;` and letters and digits that tell
 * processes with the same label apart.
 */
export const instanceHeaderName = "envkeep-instance"
/** The revision that a program holds when it starts to watch. */
export const heldRevisionHeaderName = "envkeep-holds"

/** `current` and `behind` are running: they watch, or have read not long ago. */
export const instanceStates = ["current", "behind", "gone"] as const

/** A program that reads an environment and named itself. */
export const Instance = z.object({
  id: z.number(),
  /** What it calls itself: its host, unless it was given a name. */
  label: z.string(),
  state: z.enum(instanceStates),
  /** The revision that it holds. */
  revision: z.number(),
  /** Since when it holds that, in ISO 8601. */
  since: z.string(),
  firstSeenAt: z.string(),
  lastSeenAt: z.string(),
  /** Whether it is told of changes at once. Otherwise it learns of them when it reads the next time. */
  isWatching: z.boolean(),
  keyName: shown,
  /** The program, such as `envkeep/0.2.0`. Empty if it does not say. */
  client: z.string(),
  /** Its network, such as `203.0.113.0/24`. */
  address: z.string(),
})
export type Instance = z.output<typeof Instance>

/** How many run, and how many of them hold the current revision. */
export const InstanceCount = z.object({
  environmentId: z.number(),
  running: z.number(),
  current: z.number(),
})
export type InstanceCount = z.output<typeof InstanceCount>

export const instances = {
  list: call({
    access: "user",
    level: "editor",
    method: "GET",
    path: "/environments/{id}/instances",
    summary: `The programs that read an environment and named themselves, with the revision that each of them holds: first those that are behind, then the current ones, then those that are gone. Up to ${limits.listedInstances} are listed; the counts are of all.`,
    input: fields({ id }),
    output: z.object({
      /** The current one. */
      revision: z.number(),
      running: z.number(),
      current: z.number(),
      gone: z.number(),
      instances: z.array(Instance),
    }),
    done: "OK",
  }),
  count: call({
    access: "user",
    level: "editor",
    method: "GET",
    path: "/collections/{id}/instances",
    summary:
      "How many programs run with each environment of a collection, and how many of them hold its current revision. Environments that no program runs with are left out.",
    input: fields({ id }),
    output: z.array(InstanceCount),
    done: "OK",
  }),
}
