import type { FuzzApp } from "../fuzz-app.ts"
import {
  type Account,
  changeItems,
  learnId,
  type Model,
  newAccount,
  newCollection,
  newEnvironment,
  newKey,
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

async function addCollection(app: FuzzApp, model: Model, account: Account): Promise<void> {
  const token = model.browsers.at(-1)?.token
  const collection = newCollection({ ...(await app.collection(token, { name: "app" })), description: "" })
  const item = { name: "A", value: "1" }
  const made = await app.environment(token, collection.id, { name: "production", item, keyName: "ci" })
  const { id, name, revision } = made.environment
  const environment = newEnvironment({ id, name, revision })
  changeItems(environment, () => environment.items.set(made.item.id, { id: made.item.id, ...item, revision: 0 }))
  const key = newKey({ id: made.key.id, name: "ci", key: String(made.key.key) })
  environment.keys.set(key.id, key)
  learnId(model, "collection", collection.id)
  learnId(model, "environment", id)
  learnId(model, "item", made.item.id)
  learnId(model, "key", key.id)
  collection.environments.set(id, environment)
  account.collections.set(collection.id, collection)
}
