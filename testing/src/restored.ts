import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { password, type TestApp, testApp } from "./app.ts"
import { restore } from "./commands.ts"
import { newStoreLocation, type StoreLocation } from "./database.ts"
import { type Person, person } from "./person.ts"

/** A second app, in an empty location, on what a backup of the first one holds. */
export async function restored({ location }: Pick<TestApp, "location">, file: string, into?: StoreLocation) {
  const there = into ?? (await newStoreLocation())
  await copyRootKey(location, there)
  await restore(there, file)
  return opened(there)
}

/** The app on a location that is there already, and a way in for people it knows. */
export async function opened(location: StoreLocation) {
  const app = await testApp({ location })
  return {
    ...app,
    async logIn(email: string): Promise<Person> {
      const somebody = person(app.app, email)
      const { status } = await somebody.post("/users/login", { email, password })
      if (status !== 200) throw new Error(`${email} cannot log in`)
      return somebody
    },
  }
}

export function copyRootKey(from: StoreLocation, to: StoreLocation): Promise<void> {
  return copyFile(join(from.dataDir, "root.key"), join(to.dataDir, "root.key"))
}
