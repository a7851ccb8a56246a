import { chown, lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Item } from "@envkeep/contract"
import { expect } from "vitest"
import { browser } from "./crash/clients.ts"
import { newStoreLocation, type StoreLocation } from "./database.ts"
import { isRoot, serverUser } from "./machine/server-user.ts"
import { run } from "./process.ts"

/** Gives the folder, and what is in it, to the server's user. */
export async function giveToServerUser(folder: string): Promise<void> {
  if (!isRoot) return
  for (const path of ["", ...(await readdir(folder, { recursive: true }))]) {
    await chown(join(folder, path), serverUser.uid, serverUser.gid)
  }
}

export async function locationOfServerUser(): Promise<StoreLocation> {
  const location = await newStoreLocation()
  await giveToServerUser(location.dataDir)
  return location
}

/** What in the data folder the server's user does not own, or others may use. */
export async function strangeFiles({ dataDir }: StoreLocation): Promise<string[]> {
  const strange: string[] = []
  for (const path of ["", ...(await readdir(dataDir, { recursive: true }))]) {
    const { uid, gid, mode } = await lstat(join(dataDir, path))
    const isRight = uid === serverUser.uid && gid === serverUser.gid && (mode & 0o077) === 0
    if (!isRight) strange.push(`${path} belongs to ${uid}:${gid} and has the mode ${(mode & 0o777).toString(8)}`)
  }
  return strange
}

/** A server of that user on a new store, with a person who is logged in and has an environment. */
export async function serverOfOtherUser() {
  const location = await locationOfServerUser()
  const server = run(location, { wrapper: serverUser.wrapper })
  const target = { url: await server.url() }
  const ann = browser(target)
  const form = { username: "ann", email: "ann@example.com", password: "a good password", password2: "a good password" }
  const logIn = () => ann.call("POST", "/users/login", { email: form.email, password: form.password })
  await ann.call("POST", "/users/register", form)
  await logIn()
  const { data: collection } = await ann.call<{ id: number }>("POST", "/collection", { name: "app", description: "" })
  const place = { name: "production", collectionId: collection.id }
  const { data: environment } = await ann.call<{ id: number }>("POST", "/subcollection", place)

  let saved = 0
  return {
    location,
    server,
    /** Writes with this server, or with another one on its store, and reads all that was written so far. */
    async goesOn(url = target.url) {
      target.url = url
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      // A restore ends all sessions.
      await logIn()
      const item = { name: `A_${saved++}`, value: "1", subCollectionId: environment.id }
      expect(await ann.call("POST", "/collectionItem", item)).toMatchObject({ error: false })
      const { data } = await ann.call<{ collectionItems: Item[] }>("GET", `/subcollection/${environment.id}`)
      expect(data.collectionItems.map(({ name, value }) => [name, value])).toEqual(
        Array.from({ length: saved }, (_, at) => [`A_${at}`, "1"]),
      )
    },
  }
}

/** Runs a command as the user of the tests, in a process of its own, as an operator does beside the server. */
export async function commandOfTests(
  location: StoreLocation,
  args: string[],
  env: Record<string, string> = {},
): Promise<void> {
  const ended = await run(location, { args, env }).ended
  expect(ended).toMatchObject({ code: 0 })
}
