import { violations } from "./axe.ts"
import { expect, expectNotification, test } from "./test.ts"

test("a login of the command is confirmed in the browser, and the machine gets its token", async ({ page, given }) => {
  await given.user()
  const begun = await page.request.post("/api/cli/logins", { data: { machine: "ann-laptop" } })
  const { userCode, deviceCode } = (await begun.json()).data
  const poll = async () =>
    (await (await page.request.post("/api/cli/logins/poll", { data: { deviceCode } })).json()).data

  await page.goto(`/cli/confirm#${userCode}`)
  await expect(page.getByLabel("Code")).toHaveValue(userCode)
  expect(page.url()).not.toContain(userCode)
  await page.getByRole("button", { name: "Continue" }).click()
  await expect(page.getByText("Only approve if you started this on your machine")).toBeVisible()
  await expect(page.getByText(userCode)).toBeVisible()
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])
  expect(await poll()).toEqual({ state: "pending", token: null })
  await page.getByRole("button", { name: "Approve" }).click()
  await expectNotification(page, "Login approved")
  expect(await poll()).toMatchObject({ state: "approved", token: { scope: "write" } })
  await page.getByRole("link", { name: "Show your tokens" }).click()
  await expect(page.getByText("envkeep CLI on ann-laptop")).toBeVisible()
})
