import { expect } from "vitest"
import { expectText, variablesOf } from "../plays/variables.ts"
import { envelopeOf } from "../wire.ts"
import type { World } from "../world.ts"
import { type Account, allKeys, type Model } from "./model.ts"
import { expectSame } from "./play.ts"
import { collectionsView, collectionView, listedKeysView, userView, wholeView } from "./views.ts"

/** All that anybody can see is what the model holds: every account's own, every key's, every session's. */
export async function expectEverything(world: World, model: Model): Promise<void> {
  const see = async (token: string, path: string) => {
    const received = await world.wire.send({
      method: "GET",
      path: `/api${path}`,
      headers: { cookie: `envkeep_session=${token}` },
    })
    return envelopeOf(received)?.data
  }
  for (const account of model.accounts.values()) {
    // By a session of our own: not everybody is signed in somewhere.
    const token = await world.session(account.id)
    await expectAccount(account, (path) => see(token, path))
  }
  for (const [token, id] of model.sessions) {
    const account = model.accounts.get(id) as Account
    expectSame(await see(token, "/users/me"), userView(account))
  }
  for (const token of model.endedSessions) expect(await see(token, "/users/me")).toBeNull()
  for (const { key, environment } of allKeys(model)) {
    expectText((await readBy(world, key.key)).text, "json", variablesOf(environment))
  }
  for (const key of model.endedKeys) expect((await readBy(world, key)).status).toBe(401)
}

async function expectAccount(account: Account, see: (path: string) => Promise<unknown>): Promise<void> {
  expectSame(await see("/users/me"), userView(account))
  expectSame(await see("/collection"), collectionsView(account))
  expectSame(await see("/api-key"), listedKeysView(account))
  for (const collection of account.collections.values()) {
    expectSame(await see(`/collection/${collection.id}`), collectionView(collection))
    expectSame(await see(`/subcollection/all/${collection.id}`), wholeView(collection))
  }
}

const readBy = ({ wire }: World, key: string) =>
  wire.send({ method: "GET", path: "/api/v1/variables", headers: { authorization: `Bearer ${key}` } })
