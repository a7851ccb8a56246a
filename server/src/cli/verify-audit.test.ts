import { testApp } from "@envkeep/testing/app.ts"
import { verifyAudit } from "@envkeep/testing/commands.ts"
import { expect, test } from "vitest"
import { chainEvents, readHead } from "../audit/chain.ts"
import { headText } from "../audit/encode.ts"

test("npm run verify-audit says whether the trail is intact, where it is broken, or that it cannot check", async () => {
  const app = await testApp()
  await (await app.user()).collection()
  await chainEvents(app.db, app.vault)
  const head = await readHead(app.db)
  if (head === undefined) throw new Error("there is no head")
  await app.close()
  const intact = await verifyAudit(app.location, "--head", headText(head))
  expect(intact).toEqual({
    exitCode: 0,
    out: [`The audit trail is intact: ${head.position} events, head ${headText(head)}`],
    err: [],
  })
  const other = await verifyAudit(app.location, "--head", `1:${"ab".repeat(32)}`)
  expect(other).toMatchObject({
    exitCode: 1,
    out: ["The audit trail is broken at position 1: it is not the one whose head was written down"],
  })
  expect((await verifyAudit(app.location, "--head", "nonsense")).exitCode).toBe(2)
  expect((await verifyAudit({ ...app.location, dataDir: "/nowhere" })).exitCode).toBe(2)
})
