import { testApp } from "@envkeep/testing/app.ts"
import { callCommand } from "@envkeep/testing/commands.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { doctorCommand } from "../cli/doctor.ts"
import { sealsOf } from "../db/table-lists.ts"

// SQLite keeps any type in any column. What is sealed is bytes, so a text or a number there does not open.

test.each([
  ["item", "sealed_value", /^The item TOKEN in production of shop \(id \d+\) does not open/],
  ["item_version", "sealed_value", /^The version TOKEN in production of shop \(id \d+\) does not open/],
  ["api_key", "sealed_key", /^The API key ci in production of shop \(id \d+\) does not open/],
  ["collection", "data_key", /^The key of the collection shop \(id \d+\) does not open/],
  ["audit_chain", "sealed_key", /^The audit trail .*/],
  ["canary", "sealed", /^The store's canary is damaged/],
] as const)("a text in %s.%s is a fault", async (table, column, sentence) => {
  expect([...sealsOf(table).keys()]).toContain(column)
  for (const value of [sql`cast(${sql.ref(column)} as text)`, sql`hex(${sql.ref(column)})`, sql`7`]) {
    const app = await testApp()
    const ann = await app.user()
    const environment = await ann.environment("production", (await ann.collection("shop")).id)
    await ann.item(environment, "TOKEN", "hunter22")
    await ann.apiKey(environment)
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value}`.execute(app.db)
    const { exitCode, out } = await callCommand(doctorCommand, app.location)
    expect(exitCode).toBe(1)
    expect(out.filter((line) => line.startsWith("fault: ")).map((line) => line.slice("fault: ".length))).toContainEqual(
      expect.stringMatching(sentence),
    )
  }
})
