import { testApp } from "@envkeep/testing/app.ts"
import { expect, test } from "vitest"
import { countLogin, loginSucceeded } from "./rules.ts"

test("logins to one account from one address at the same time do not block each other", async () => {
  const { core } = await testApp()
  const visitor = { kind: "guest", address: "203.0.113.1", device: "", client: "" } as const
  const [account, counted] = ["ann@example.com", { knownDevice: false, device: "", address: visitor.address }]
  const count = () => countLogin(core, visitor, { account, passwordHash: undefined })
  const takeBack = () => core.bookkeepTogether((tx) => loginSucceeded(tx, counted, account))
  for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: 4 }, () => [count(), takeBack()]).flat())
  // After a deadlock, a transaction is tried again.
  expect(core.counts.transactionRetries).toBe(0)
})
