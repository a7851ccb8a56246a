import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { password, type TestApp, testApp } from "./app.ts"
import { backUp, backupFile, restore } from "./commands.ts"
import { newStoreLocation, type StoreLocation } from "./database.ts"
import { type Person, person } from "./person.ts"

/** One person with one value, and a backup of it. */
export async function backedUp() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const { key } = await ann.apiKey(environment)
  const file = await backupFile()
  await backUp(app.location, file)
  return { app, ann, environment, key, file }
}

/** A second app in an empty location, restored from a backup of the first one. */
export async function restored(
  { location }: Pick<TestApp, "location">,
  file: string,
  { into, env = {} }: { into?: StoreLocation; env?: Record<string, string> } = {},
) {
  const there = into ?? (await newStoreLocation())
  await copyRootKey(location, there)
  await restore(there, file)
  return opened(there, env)
}

/** The app on an existing location, and a way to log in for the people it knows. */
export async function opened(location: StoreLocation, env: Record<string, string> = {}) {
  const app = await testApp({ location, env })
  return {
    ...app,
    async logIn(email: string): Promise<Person> {
      const known = person(app.app, email)
      const { status } = await known.post("/users/login", { email, password })
      if (status !== 200) throw new Error(`${email} cannot log in`)
      return known
    },
  }
}

export function copyRootKey(from: StoreLocation, to: StoreLocation): Promise<void> {
  return copyPrivately(join(from.dataDir, "root.key"), join(to.dataDir, "root.key"))
}

/** Only this user can read the copy, as the doctor demands of what is in a data folder. */
export async function copyPrivately(from: string, to: string): Promise<void> {
  await writeFile(to, await readFile(from), { mode: 0o600 })
}
