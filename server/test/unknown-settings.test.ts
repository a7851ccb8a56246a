import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect } from "vitest"
import { settingNames } from "../src/config.ts"
import { clientSettings, unknownSettings } from "../src/unknown-settings.ts"

const ignored = "is not a setting of this version, and is ignored"

test("a setting that is not known is named, with the one that is meant", () => {
  expect(unknownSettings({ ENVKEEP_DATADIR: "/data", ENVKEEP_QOUTA_MB: "5", ENVKEEP_COLOUR: "red" })).toEqual([
    `ENVKEEP_COLOUR ${ignored}`,
    `ENVKEEP_DATADIR ${ignored}: is ENVKEEP_DATA_DIR meant?`,
    `ENVKEEP_QOUTA_MB ${ignored}: is ENVKEEP_QUOTA_MB meant?`,
  ])
})

test("what is known, what a provider of sign-ins has, and what others read is no reason to warn", () => {
  const names = [...settingNames, ...clientSettings, "ENVKEEP_OIDC_ACME_ISSUER", "PATH", "HOME"]
  expect(unknownSettings(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([])
})

test("what the client reads is known", () => {
  const root = join(import.meta.dirname, "../..")
  const files = globSync(["client/src/**/*.ts", "integrations/mcp/src/**/*.ts"], { cwd: root })
  const named = files.flatMap(
    (file) => readFileSync(join(root, file), "utf8").match(/\bENVKEEP_[A-Z]+(_[A-Z]+)*\b/g) ?? [],
  )
  expect(named.length).toBeGreaterThan(clientSettings.length)
  expect(clientSettings).toEqual(expect.arrayContaining(named))
})

test("the start warns of it, without its value", async () => {
  const server = run(await newStoreLocation(), { env: { ENVKEEP_QUOTA: "a value of its own" } })
  await server.url()
  expect(server.output.out).toContain(`"msg":"ENVKEEP_QUOTA ${ignored}: is ENVKEEP_QUOTA_MB meant?"`)
  expect(server.output.out).not.toContain("a value of its own")
})
