import { z } from "zod"

/** Whose access ends, so that they are refused instead of reading again: every key, or one. */
const ends = z.union([z.literal(true), z.object({ keyHash: z.string() })]).optional()

const invalidation = z.union([
  z.object({ environmentId: z.number(), ends }),
  /** `forScreens`: nothing that keys read has changed, only what open screens show. */
  z.object({ collectionId: z.number(), ends, forScreens: z.literal(true).optional() }),
  /** What a user can reach has changed, by a team. Only open screens are told. */
  z.object({ userId: z.number(), ends: z.undefined().optional() }),
])

/** What must no longer be served from memory: one environment, all environments of a collection, or all of a user. */
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

/** PostgreSQL refuses a notification of 8,000 bytes or more, and with it the whole transaction. */
const maxPayloadBytes = 7_999

/** The invalidations as JSON lists, each short enough for one notification. */
export function notificationPayloads(invalidations: readonly Invalidation[]): string[] {
  const payloads: string[] = []
  let list = ""
  for (const invalidation of invalidations) {
    // Ids and hashes only, so a character is a byte.
    const text = JSON.stringify(invalidation)
    if (list !== "" && `[${list},${text}]`.length > maxPayloadBytes) {
      payloads.push(`[${list}]`)
      list = ""
    }
    list = list === "" ? text : `${list},${text}`
  }
  return list === "" ? payloads : [...payloads, `[${list}]`]
}

/** Without those that change nothing that keys read. */
export function withoutScreens(invalidations: readonly Invalidation[]): Invalidation[] {
  return invalidations.filter((one) => !("userId" in one || ("forScreens" in one && one.forScreens)))
}

/** Those of whole collections, by collection: what is in memory is searched once for all of them. */
export function byCollection(invalidations: readonly Invalidation[]): Map<number, Invalidation> {
  return new Map(invalidations.flatMap((one) => ("collectionId" in one ? [[one.collectionId, one] as const] : [])))
}
