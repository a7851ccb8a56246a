import { expect } from "vitest"
import { expectText, variablesOf } from "../commands/variables.ts"
import type { FuzzApp } from "../fuzz-app.ts"
import { dataFor } from "../http-client.ts"
import { expectSame } from "./command.ts"
import { type Account, allKeys, isUsable, type Model } from "./model.ts"
import {
  collectionsView,
  collectionView,
  listedKeysView,
  storageView,
  trashedCollectionView,
  trashedEnvironmentView,
  trashView,
  userView,
  wholeView,
} from "./views.ts"

/** What every account, every session and every key can read is exactly what the model contains. */
export async function expectStoreMatches(app: FuzzApp, model: Model): Promise<void> {
  const read = (token: string, path: string) => dataFor(app.http, token, `GET ${path}`)
  for (const account of model.accounts.values()) {
    // With a new session, since not every account is signed in.
    const token = await app.session(account.id)
    await expectAccount(account, (path) => read(token, path))
  }
  for (const [token, id] of model.sessions) {
    const account = model.accounts.get(id) as Account
    expectSame(await read(token, "/users/me"), userView(account))
  }
  for (const token of model.endedSessions) expect(await read(token, "/users/me")).toBeNull()
  for (const { key, environment } of allKeys(model)) {
    const answer = await readWithKey(app, key.key)
    if (isUsable(key)) expectText(answer.text, "json", variablesOf(environment))
    else expect(answer.status).toBe(401)
  }
  for (const key of model.deletedKeys) expect((await readWithKey(app, key)).status).toBe(401)
}

async function expectAccount(account: Account, read: (path: string) => Promise<unknown>): Promise<void> {
  expectSame(await read("/users/me"), userView(account))
  expectSame(await read("/collection"), collectionsView(account))
  expectSame(await read("/api-key"), listedKeysView(account))
  expectSame(await read("/users/me/storage"), storageView(account))
  const trash = await read("/trash")
  expectSame(trash, trashView(trash, account.trash, trashedCollectionView))
  for (const collection of account.collections.values()) {
    expectSame(await read(`/collection/${collection.id}`), collectionView(collection))
    expectSame(await read(`/subcollection/all/${collection.id}`), wholeView(collection))
    const trashed = await read(`/collections/${collection.id}/trash`)
    expectSame(trashed, trashView(trashed, collection.trash, trashedEnvironmentView))
  }
}

const readWithKey = ({ http }: FuzzApp, key: string) =>
  http.send({ method: "GET", path: "/api/v1/variables", headers: { authorization: `Bearer ${key}` } })
