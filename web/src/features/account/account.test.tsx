import { screen } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test.each([
  ["100", 12_345_678, "12.3 MB of 100 MB used"],
  ["100", 512, "Less than 0.1 MB of 100 MB used"],
  ["100", 120_000_000, "120 MB of 100 MB used"],
  ["0", 0, "0 MB used"],
])("with a quota of %s MB, the profile says how much is stored: %i bytes", async (quota, storedBytes, text) => {
  const app = await testApp({ env: { ENVKEEP_QUOTA_MB: quota } })
  const ann = await app.user()
  await app.db.updateTable("user").set({ stored_bytes: storedBytes }).execute()
  open("/user/dashboard", ann)
  expect(await screen.findByText(text)).toBeDefined()
})
