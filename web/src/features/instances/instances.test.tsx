import { waitTimeoutMs } from "@envkeep/testing/time-limits.ts"
import { screen, within } from "@testing-library/react"
import { expect, test, vi } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test("after a change the head of an environment counts up who runs the new value", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  const { key } = await ann.apiKey(environment, "deploy")
  const reads = (label: string) => app.guest.variables(key, "", { "envkeep-instance": `${label};a` })
  await reads("web-1")
  await reads("web-2")

  const { user, client } = open(`/collection/${environment.collectionId}`, ann)
  /** In place of the live stream. What was just read is saved within a second. */
  const isTold = (isShown: () => void) =>
    vi.waitFor(
      async () => {
        for (const key of ["instance-counts", "instances"]) await client.invalidateQueries({ queryKey: [key] })
        isShown()
      },
      { timeout: waitTimeoutMs, interval: 200 },
    )
  await isTold(() => screen.getByText("2 running"))
  await ann.item(environment, "TOKEN", "new-value")
  // Without event streams here, nothing else tells the page.
  await client.invalidateQueries({ queryKey: ["collection"] })
  await screen.findByText("0 of 2 run the new value")
  await reads("web-1")
  await isTold(() => screen.getByText("1 of 2 run the new value"))
  await user.click(screen.getByText("1 of 2 run the new value"))
  const dialog = within(await screen.findByRole("dialog", { name: "What runs with production" }))
  await dialog.findByText(/^1 of 2 still runs the old value\./)
  expect(dialog.getAllByRole("listitem").map(({ textContent }) => textContent?.replace(/since.*/, ""))).toEqual([
    "web-2BehindRevision 1 of 2",
    "web-1CurrentRevision 2",
  ])
  dialog.getAllByText("key deploy")
  await reads("web-2")
  await isTold(() => dialog.getByText(/^All 2 run the new value\./))
  await user.keyboard("{Escape}")
  await screen.findByText("2 of 2 run the new value")
})
