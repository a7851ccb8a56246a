import type { Db, Engine } from "./schema.ts"

/** One step from one shape of the tables to the next. Merged migrations never change, and they import this type from here. */
export interface Migration {
  name: string
  /** `say` tells how far a long one has come. */
  up(db: Db, engine: Engine, say: (progress: string) => void): Promise<void>
}
