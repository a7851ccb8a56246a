import { z } from "zod"

/** Whose access ends, so that they are refused instead of reading again: every key, or one. */
const ends = z.union([z.literal(true), z.object({ keyHash: z.string() })]).optional()

const invalidation = z.union([
  z.object({ environmentId: z.number(), ends }),
  z.object({ collectionId: z.number(), ends }),
])

/** What must no longer be served from memory: one environment, or all environments of a collection. */
export type Invalidation = z.infer<typeof invalidation>

/** The PostgreSQL channel on which nodes notify each other. */
export const invalidationChannel = "envkeep_changes"

const message = z.array(invalidation).nonempty()

/** Undefined if it makes no sense: every user of the database can send on the channel, and so can a newer version. */
export function parseInvalidations(payload: string | undefined): Invalidation[] | undefined {
  try {
    return message.safeParse(JSON.parse(payload ?? "")).data
  } catch {
    return undefined
  }
}
