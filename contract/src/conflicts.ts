import { z } from "zod"
import { shown } from "./text.ts"

/** Something that was changed after the revision which a write was made from. It never holds a value. */
export const Conflict = z.object({
  /** Of the item, or of the environment if that was renamed. Null if it was deleted. */
  id: z.number().nullable(),
  name: z.string(),
  /** The revision that changed it last. */
  revision: z.number(),
  /** The username at that time; null for the server itself, and if the history no longer knows. */
  by: shown.nullable(),
  /** ISO 8601; null if the history no longer knows. */
  at: z.string().nullable(),
  isDeleted: z.boolean(),
})
export type Conflict = z.output<typeof Conflict>

/** The data of a 409 that a `revision` caused. */
export const Conflicts = z.object({ conflicts: z.array(Conflict) })
export type Conflicts = z.output<typeof Conflicts>
