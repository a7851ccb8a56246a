import { testApp } from "@envkeep/testing/app.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect } from "vitest"
import { findKeyEnvironment } from "../../access/key-holder.ts"
import type { Core } from "../../core/core.ts"
import { keyCaller } from "../../http/bearer.ts"
import { createRenderings } from "./renderings.ts"
import { createUnsentBodies } from "./unsent.ts"

/** Renderings whose snapshots end when `finish` is called. `held` says how many there are. */
async function heldRenderings() {
  const { core, user } = await testApp()
  const end = Promise.withResolvers<void>()
  const snapshots = { held: 0, most: 0 }
  const holding: Core = {
    ...core,
    async snapshot(work) {
      snapshots.most = Math.max(snapshots.most, ++snapshots.held)
      await end.promise
      return core.snapshot(work).finally(() => snapshots.held--)
    },
  }
  const renderings = createRenderings(holding, createUnsentBodies())
  const read = async (key: string | null) => {
    const caller = keyCaller({ authorization: `Bearer ${key}` }, "127.0.0.1")
    const environment = await findKeyEnvironment(core.db, caller, () => undefined)
    // Not awaited: it may have to wait for others.
    return { rendered: renderings.render(environment, "json") }
  }
  return { user, read, snapshots, finish: end.resolve }
}

/** Keys to environments that inherit these items: what is inherited is read in a snapshot. */
async function keysOf(person: Person, environments: number, items: { name: string; value: string }[]) {
  const base = await person.environment("base")
  await person.post(`/subcollection/${base.id}/bulk`, items)
  const keys: (string | null)[] = []
  for (let n = 0; n < environments; n++) {
    const environment = await person.environment(`number ${n}`, base.collectionId)
    await person.put(`/environments/${environment.id}/base`, { baseId: base.id })
    keys.push((await person.apiKey(environment)).key)
  }
  return keys
}

const large = [0, 1].map((n) => ({ name: `NAME_${n}`, value: "x".repeat(60_000) }))

test("of an owner few environments are rendered at once, and other owners do not wait for them", async () => {
  const { user, read, snapshots, finish } = await heldRenderings()
  const [ann, bob] = [await user(), await user()]
  const annsKeys = await keysOf(ann, 5, [{ name: "A", value: "1" }])
  const annsLargeKeys = await keysOf(ann, 3, large)
  const [bobsKey = null] = await keysOf(bob, 1, [{ name: "A", value: "1" }])
  const [bobsLargeKey = null] = await keysOf(bob, 1, large)

  const anns = await Promise.all([...annsKeys, ...annsLargeKeys].map(read))
  await expect.poll(() => snapshots.held).toBe(3)
  const bobs = await Promise.all([bobsKey, bobsLargeKey].map(read))
  await expect.poll(() => snapshots.held).toBe(5)

  finish()
  const results = await Promise.all([...anns, ...bobs].map(({ rendered }) => rendered))
  const bodies = results.map((result) => "body" in result && result.bodyBytes)
  const largeBytes = '{"NAME_0":"","NAME_1":""}'.length + 120_000
  expect(bodies).toEqual([9, 9, 9, 9, 9, largeBytes, largeBytes, largeBytes, 9, largeBytes])
  expect(snapshots.most).toBe(5)
})
