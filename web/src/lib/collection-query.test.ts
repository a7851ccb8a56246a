import { heldTagsHeaderName, type ReloadedCollection } from "@envkeep/contract"
import { expect, test, vi } from "vitest"
import { readCollection } from "./collection-query.ts"

const tag = "a".repeat(22)
const collection = { id: 7, name: "app", description: "", changedAt: null, role: "owner" } as const
const environment = {
  id: 1,
  name: "production",
  collectionId: 7,
  revision: 1,
  itemCount: 0,
  isProtected: false,
  baseId: null,
  valuesHidden: false,
  collectionItems: [],
  apiKeys: [],
}
const held = { ...collection, subCollections: [{ ...environment, tag }] }

/** Gives these answers one after the other, and notes what was asked. */
function answering(...answers: ReloadedCollection[]) {
  const asked: [string, string | undefined][] = []
  vi.stubGlobal("fetch", async (url: string, { headers }: { headers: Record<string, string> }) => {
    asked.push([url, headers[heldTagsHeaderName]])
    return new Response(JSON.stringify({ error: false, msg: "OK", data: answers.shift() }))
  })
  return asked
}

test("what is held is named in a header, never in the address", async () => {
  const asked = answering({ ...collection, subCollections: [], unchanged: [1] })
  expect(await readCollection(7, held)).toEqual(held)
  expect(asked).toEqual([["/api/collection/7", tag]])
})

test("a tab that holds nothing reads what its page may have begun to read", async () => {
  const whole = { ...collection, subCollections: [{ ...environment, tag }] }
  const asked = answering(whole)
  expect(await readCollection(7, undefined)).toEqual(whole)
  expect(asked).toEqual([["/api/collection/7?tagged=true", undefined]])
})

test("an answer that counts on what is not held is not used: everything is read", async () => {
  const whole = { ...collection, subCollections: [environment] }
  const asked = answering({ ...collection, subCollections: [], unchanged: [1, 2] }, whole)
  expect(await readCollection(7, held)).toEqual(whole)
  expect(asked).toEqual([
    ["/api/collection/7", tag],
    ["/api/collection/7?tagged=true", undefined],
  ])
})
