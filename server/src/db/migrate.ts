import type { Db, Engine } from "./schema.ts"

/** One step from one shape of the tables to the next. Merged migrations never change, and they import this type from here. */
export interface Migration {
  name: string
  up(db: Db, engine: Engine): Promise<void>
}
