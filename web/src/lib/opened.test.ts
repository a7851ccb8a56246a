import { expect, test } from "vitest"
import { type Opened, openedBy, withNewest } from "./opened.ts"

/** What was opened by going through these addresses, newest first. */
function openedAfter(...addresses: string[]): Opened[] {
  const locations = addresses.map((address) => new URL(address, "http://localhost"))
  return locations.reduce<Opened[]>(
    (opened, now, at) => openedBy(locations[at - 1], now).reduce(withNewest, opened),
    [],
  )
}

const [billing, shop] = [{ collectionId: 1 }, { collectionId: 2 }]
const [staging, production] = [
  { ...billing, environmentId: 11 },
  { ...billing, environmentId: 12 },
]

test("collections, environments and variables are noted when they are opened, newest first", () => {
  expect(openedAfter("/collection/1", "/collection/dashboard", "/collection/2/sharing")).toEqual([shop, billing])
  expect(openedAfter("/collection/1", "/collection/1?env=11", "/collection/1?env=11&env=12")).toEqual([
    production,
    staging,
    billing,
  ])
  expect(openedAfter("/collection/2", "/collection/1?env=11&item=PORT", "/collection/1?env=11")).toEqual([
    { ...staging, name: "PORT" },
    shop,
  ])
  expect(openedAfter("/", "/collection/new", "/user/dashboard", "/collection/1x")).toEqual([])
})

test("what was opened again comes first, and closing opens nothing", () => {
  expect(openedAfter("/collection/1", "/collection/2", "/collection/1")).toEqual([billing, shop])
  const both = "/collection/1?env=11&env=12"
  expect(openedAfter(both, "/collection/1?env=11")).toEqual([production, staging, billing])
  expect(openedAfter(both, "/collection/1?env=12&env=11")).toEqual([staging, production, billing])
  expect(openedAfter(both, "/collection/1/names", "/collection/1")).toEqual([production, staging, billing])
})
