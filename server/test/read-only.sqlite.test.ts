import { chmod, readdir } from "node:fs/promises"
import { join } from "node:path"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, onTestFinished, test } from "vitest"

// Root may write anywhere. Without these capabilities, the modes of a folder apply to root too.
const wrapper =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"] : []

test("if the data folder is read-only, the start fails with one sentence and exit code 73; once it is writable, it works", async () => {
  const location = await newStoreLocation()
  const first = run(location, { wrapper })
  await first.url()
  first.child.kill("SIGKILL")
  await first.ended

  const setModes = async (folder: number, file: number) => {
    for (const name of await readdir(location.dataDir)) await chmod(join(location.dataDir, name), file)
    await chmod(location.dataDir, folder)
  }
  await setModes(0o500, 0o400)
  onTestFinished(() => chmod(location.dataDir, 0o700))
  const refused = await run(location, { wrapper }).ended
  expect([refused.code, refused.out]).toEqual([73, ""])
  expect(refused.err).toMatch(/^envkeep: The data folder .* cannot be written: .*\n$/)

  await setModes(0o700, 0o600)
  const url = await run(location, { wrapper }).url()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})
