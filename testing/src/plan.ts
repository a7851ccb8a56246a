import { type CompiledQuery, sql } from "kysely"
import type { TestApp } from "./app.ts"
import { engine } from "./database.ts"

/** How the engine would execute a statement. */
export async function planOf({ db }: TestApp, { sql: text, parameters }: CompiledQuery): Promise<string> {
  const explain = engine === "sqlite" ? "explain query plan " : "explain "
  return db.connection().execute(async (connection) => {
    // PostgreSQL prefers to scan an almost empty table. With this setting it does so only if no index can be used.
    if (engine === "postgres") await sql`set enable_seqscan = off`.execute(connection)
    const query = { ...sql`${sql.raw(explain)}`.compile(connection), sql: explain + text, parameters }
    const { rows } = await connection.executeQuery<Record<string, unknown>>(
      query as CompiledQuery<Record<string, unknown>>,
    )
    return rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])).join("\n")
  })
}
