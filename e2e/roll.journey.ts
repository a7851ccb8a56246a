import { registerSecretsIn } from "@envkeep/testing/leaks.ts"
import { expect, expectNotification, long, test } from "./test.ts"

for (const width of [1280, 375]) {
  test(
    `a leaked key is rolled after a question about who reads with it, at ${width} px`,
    long,
    async ({ page, given, server }) => {
      await page.setViewportSize({ width, height: 800 })
      await given.user()
      const id = await given.collection("billing")
      const environment = await given.environment(id, "production", [{ name: "PORT", value: "8080" }])
      const key = await given.apiKey(environment, "web-1")
      const read = (apiKey: string) =>
        fetch(`${server.url}/api/v1/variables`, {
          headers: { authorization: `Bearer ${apiKey}`, "user-agent": "envkeep/0.2.0" },
        })
      const answer = await page.request.get("/api/api-key")
      const { data } = (await answer.json()) as { data: { id: number; name: string }[] }
      const keyId = data.find(({ name }) => name === "web-1")?.id
      await page.goto(`/collection/${id}/api-key/${keyId}/leak`)
      const roll = page.getByRole("button", { name: "Roll…" })
      const question = page.getByRole("dialog", { name: "Roll web-1?" })
      await roll.click()
      await expect(question).toContainText("No program has read with it yet.")
      await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused()
      await page.keyboard.press("Escape")
      await expect(question).toHaveCount(0)
      await expect(roll).toBeFocused()

      // The page hears of no read, so the question asks again.
      expect((await read(key)).status).toBe(200)
      const lastUse = async () => (await (await page.request.get(`/api/api-key/${keyId}/last-use`)).json()).data
      await expect.poll(lastUse).not.toBeNull()
      await roll.click()
      await expect(question).toContainText("1 program reads with it, last by envkeep/0.2.0 on")
      await expect(question).toContainText("get no values until you give them the new one.")
      await question.getByLabel("The old key").selectOption("works for another hour")
      await expect(question).toContainText("Until then, the old key reads new values too.")
      await question.getByRole("button", { name: "Roll" }).click()
      await expectNotification(page, "API Key rolled successfully")

      const shown = page.getByRole("dialog", { name: "Your new key" })
      await expect(shown.getByText("Put it wherever the old one is used.")).toBeFocused()
      await shown.getByRole("button", { name: "Copy: the new key" }).click()
      await expectNotification(page, "Copied to clipboard")
      const made = await page.evaluate<string>("navigator.clipboard.readText()")
      registerSecretsIn({ key: made })
      expect(made).toMatch(/^ek_\w{40,}$/)
      expect(made).not.toBe(key)
      // A stray click does not lose it.
      await page.mouse.click(2, 2)
      await expect(shown).toBeVisible()
      const panel = shown.getByRole("region", { name: "Use web-1" })
      await expect(panel.getByRole("status")).toHaveText("Waiting for the first read…")
      expect((await read(made)).status).toBe(200)
      await expect(panel.getByRole("status")).toHaveText("Read by envkeep 0.2.0 just now")
      expect((await read(key)).status).toBe(200)

      await shown.getByRole("button", { name: "Done" }).click()
      await expect(shown).toHaveCount(0)
      await expect(page.getByRole("heading", { name: "1. Stop the key" })).toBeFocused()
      expect(await page.content()).not.toContain(made)
      await expect(page.getByText(/^It still works, until /)).toBeVisible()
      await expect(roll).toHaveCount(0)
      await page.getByRole("button", { name: "Disable now" }).click()
      await expect(page.getByText(/^It stopped working on /)).toBeVisible()
      expect((await read(key)).status).toBe(401)
      expect((await read(made)).status).toBe(200)
    },
  )
}
