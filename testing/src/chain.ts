import type { Environment } from "@envkeep/contract"
import { expect } from "vitest"
import { testApp } from "./app.ts"
import type { Person } from "./person.ts"

/** A collection with environments in a row, each the base of the next one, and a key of each. */
export async function withChain(names: string[]) {
  const app = await testApp()
  const ann = await app.user()
  const collection = await ann.collection()
  const chain: (Environment & { key: string })[] = []
  for (const name of names) {
    const environment = await ann.environment(name, collection.id)
    const { key } = await ann.apiKey(environment)
    const base = chain.at(-1)
    if (base !== undefined) expect(await rebase(ann, environment, base)).toMatchObject({ status: 200 })
    chain.push({ ...environment, key })
  }
  const read = async ({ key }: { key: string }, query = "") => (await app.guest.variables(key, query)).text
  const revision = async ({ id }: { id: number }) =>
    (await ann.get<Environment>(`/subcollection/${id}`)).body.data.revision
  return { app, ann, collection, chain, read, revision }
}

export type Named = Environment & { key: string }

export async function withBaseAndHeir() {
  const made = await withChain(["base", "heir"])
  const [base, heir] = made.chain as [Named, Named]
  return { ...made, base, heir }
}

export const rebase = (ann: Person, { id }: { id: number }, base: { id: number } | null, more = {}) =>
  ann.put<Environment>(`/environments/${id}/base`, { baseId: base?.id ?? null, ...more })

export const refused = (status: number, msg: string, data: unknown = null) => ({
  status,
  body: { error: true, msg, data },
})
