import { type RawBuilder, type SqlBool, sql } from "kysely"
import { engineOf } from "./engine.ts"
import type { Db } from "./schema.ts"

// Many values as one parameter. With a parameter for each, a query has another text for every number of values, and the
// query builder takes more time than the engine.

export type Listed = string | readonly (number | string)[]

export function listed(db: Pick<Db, "getExecutor">, values: readonly (number | string)[]): Listed {
  return engineOf(db) === "postgres" ? values : JSON.stringify(values)
}

export function isListed(db: Pick<Db, "getExecutor">, column: string, list: Listed): RawBuilder<SqlBool> {
  return engineOf(db) === "postgres"
    ? sql`${sql.ref(column)} = any(${list})`
    : sql`${sql.ref(column)} in (select value from json_each(${list}))`
}
