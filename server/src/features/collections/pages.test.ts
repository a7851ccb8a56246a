import type { Collection, CreatedToken, Team } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

test("a list of more than a page has each collection once, however the caller is a member of it", async () => {
  const { app, db, user } = await testApp()
  const [ann, bob] = [await user(), await user()]
  const hers = await addCollections(db, ann, 240)
  const trashed = await addCollections(db, ann, 120, { trashed_at: 1 })
  const alone = await addCollections(db, bob, 130)
  const { id: teamId } = (await ann.post<Team>("/teams", { name: "team" })).body.data
  await ann.post(`/teams/${teamId}/members`, { who: bob.email })
  const row = { team_id: teamId, role: "editor" as const, created_at: 0 }
  const shared = [...hers.filter((id) => id % 2 === 0), ...trashed, ...alone.slice(0, 5)]
  await db
    .insertInto("collection_team")
    .values(shared.map((id) => ({ ...row, collection_id: id })))
    .execute()
  const listed = async (who: Pick<typeof ann, "get">) =>
    (await who.get<Collection[]>("/collection")).body.data.map(({ id }) => id)

  expect(await listed(ann)).toEqual([...hers, ...alone.slice(0, 5)])
  expect(await listed(bob)).toEqual([...hers.filter((id) => id % 2 === 0), ...alone])

  const collectionIds = [hers[3], hers[201], alone[2]]
  const settings = { name: "limited", scope: "names", days: 30, collectionIds }
  const { token } = (await ann.post<CreatedToken>("/users/me/tokens", settings)).body.data
  expect(await listed(person(app, ann.email, token))).toEqual(collectionIds)
})
