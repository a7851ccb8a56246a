import { copyFile, readFile } from "node:fs/promises"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { callCommand, rotate } from "@envkeep/testing/commands.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { doctorCommand } from "./doctor.ts"

test("a root key in the settings is replaced where no data folder was ever made", async () => {
  const { dataDir, databaseUrl } = await newStoreLocation()
  const location = { dataDir: join(dataDir, "never", "made"), databaseUrl }
  const env = { ENVKEEP_ROOT_KEY: "11".repeat(32) }
  const app = await testApp({ location, env })
  const ann = await app.user()
  await ann.item(await ann.environment(), "TOKEN", "hunter22")
  const file = join(location.dataDir, "root.key.next")
  expect(await rotate(location, { env })).toMatchObject({
    exitCode: 0,
    out: [expect.stringContaining(file), expect.any(String), expect.any(String)],
  })
  const next = { ENVKEEP_ROOT_KEY: (await readFile(file, "utf8")).trim() }
  expect(await rotate(location, { env: next, args: ["--finish"] })).toMatchObject({ exitCode: 0 })
  expect((await callCommand(doctorCommand, location, { env: next })).out.at(-1)).toBe("All is well")
})

test("a node with its own data folder recovers once it is given the new file", async () => {
  // A job that opens something with the old key in the middle of the rotation would learn the new one.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const app = await testApp()
  const own = await newStoreLocation()
  const rootKeyOf = ({ dataDir }: { dataDir: string }) => join(dataDir, "root.key")
  await copyFile(rootKeyOf(app.location), rootKeyOf(own))
  const location = { dataDir: own.dataDir, databaseUrl: app.location.databaseUrl }
  const other = await testApp({ location })
  const ann = await app.user()
  const { key } = await ann.apiKey(await ann.environment())
  await rotate(app.location)

  expect((await other.guest.variables(key)).status).toBe(503)
  expect((await other.app.inject("/readyz")).statusCode).toBe(503)
  const doctor = await callCommand(doctorCommand, location)
  expect(doctor).toMatchObject({ exitCode: 78 })
  expect(doctor.out).toContainEqual(expect.stringMatching(/^fault: The root key does not fit this store/))

  await copyFile(rootKeyOf(app.location), rootKeyOf(own))
  expect((await other.app.inject("/readyz")).statusCode).toBe(200)
  expect((await other.guest.variables(key)).text).toBe("{}")
})
