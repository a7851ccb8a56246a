import type { Compilable, CompiledQuery, InferResult } from "kysely"
import { engineOf } from "./engine.ts"
import type { Db, Engine } from "./schema.ts"

/** Stands for a parameter's value while the query is built. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * A query of the hot paths, which is built and compiled once for each engine and each variant; afterwards only its
 * parameters are filled in. To build and compile a query takes longer than SQLite needs to run it. `build` cannot see the
 * parameters' values: what changes the text of the query is the variant.
 */
export function prepared<
  Params extends object,
  Query extends Compilable,
  On extends Pick<Db, "getExecutor">,
  Variant extends string = "",
>(build: (db: On, params: Params, variant: Variant) => Query) {
  const compiled = new Map<`${Engine} ${Variant}`, CompiledQuery>()
  return async (db: On, params: Params, variant: Variant): Promise<InferResult<Query>> => {
    const key = `${engineOf(db)} ${variant}` as const
    const query = compiled.get(key) ?? build(db, placeholders<Params>(), variant).compile()
    compiled.set(key, query)
    const parameters = query.parameters.map((one) =>
      one instanceof Placeholder ? params[one.name as keyof Params] : one,
    )
    const { rows } = await db.getExecutor().executeQuery({ ...query, parameters })
    return rows as InferResult<Query>
  }
}

function placeholders<Params>(): Params {
  return new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Params
}
