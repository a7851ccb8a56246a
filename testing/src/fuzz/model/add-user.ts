import type { ApiKey, Collection, Environment, Item } from "@envkeep/contract"
import type { FuzzApp } from "../fuzz-app.ts"
import { dataFor } from "../http-client.ts"
import {
  type Account,
  learnId,
  type Model,
  newAccount,
  newCollection,
  newEnvironment,
  newKey,
  nextRevision,
} from "./model.ts"

/** Adds a user to the store and to the model, signed in from `browsers` browsers, with a collection to work on. */
export async function addUser(
  app: FuzzApp,
  model: Model,
  { email, isAdmin = false, browsers = 1 }: { email: string; isAdmin?: boolean; browsers?: number },
): Promise<void> {
  const account = newAccount(await app.user(email, isAdmin))
  model.accounts.set(learnId(model, "account", account.id), account)
  for (let number = 0; number < browsers; number++) {
    const token = await app.session(account.id)
    model.sessions.set(token, account.id)
    model.browsers.push({ token })
  }
  await addCollection(app, model, account)
}

async function addCollection({ http }: FuzzApp, model: Model, account: Account): Promise<void> {
  const token = model.browsers.at(-1)?.token
  const post = <Data>(path: string, body: unknown) => dataFor<Data>(http, token, `POST ${path}`, body)
  const { id: collectionId } = await post<Collection>("/collection", { name: "app" })
  const { id, revision } = await post<Environment>("/subcollection", { name: "production", collectionId })
  const made = await post<ApiKey>("/api-key", { name: "ci", subCollectionId: id })
  const key = newKey({ id: learnId(model, "key", made.id), name: "ci", key: String(made.key) })
  const item = await post<Item>("/collectionItem", { name: "A", value: "1", subCollectionId: id })
  const modelItem = { id: item.id, name: "A", value: "1", revision: revision + 1 }
  const environment = newEnvironment({ id, name: "production", revision })
  environment.items.set(learnId(model, "item", item.id), modelItem)
  environment.keys.set(key.id, key)
  nextRevision(environment)
  environment.writes.set(environment.revision, new Set(["A"]))
  learnId(model, "environment", id)
  const collection = newCollection({ id: learnId(model, "collection", collectionId), name: "app", description: "" })
  collection.environments.set(id, environment)
  account.collections.set(collectionId, collection)
}
