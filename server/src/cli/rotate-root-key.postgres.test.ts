import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { callCommand, rotate } from "@envkeep/testing/commands.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { doctorCommand } from "./doctor.ts"

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
