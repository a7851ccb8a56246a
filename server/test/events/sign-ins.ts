import type { calls, OutputOf, RecoveryCodes, User } from "@envkeep/contract"
import { password, type TestApp } from "@envkeep/testing/app.ts"
import { nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { usePasskeyInEveryWay } from "@envkeep/testing/passkeys.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect } from "vitest"
import type { ChangeEvent } from "../../src/core/core.ts"

// Each function signs in, or lets a program in, in all the ways of its kind, and returns what was recorded of that.

/** What is recorded of second factors: set up, used, lost and switched off. */
export async function factorEvents(app: TestApp, events: ChangeEvent[]): Promise<string[]> {
  const [admin, mia, browser] = [await app.admin(), await app.user(), person(app.app)]
  const { id } = (await mia.get<User>("/users/me")).body.data
  const seen = events.length
  const { secret } = await setUpTotp(mia)
  const { recoveryCodes } = (await mia.post<RecoveryCodes>("/users/me/recovery-codes")).body.data
  const finish = async (path: string, body: object) => {
    browser.forget()
    await browser.post("/users/login", { email: mia.email, password })
    expect(await browser.post(`/users/login/${path}`, body)).toMatchObject({ status: 200 })
  }
  await finish("recovery-code", { code: recoveryCodes[0] })
  await finish("code", { code: nextCodeOf(secret) })
  const { token } = (await admin.post<{ token: string }>(`/admin/users/${id}/factor-link`)).body.data
  await finish("factor-link", { token })
  await setUpTotp(browser)
  await browser.post("/users/me/confirm", { password })
  await browser.delete("/users/me/totp")
  return events.slice(seen).map(({ action, caller }) => `${action} by ${caller.kind}`)
}

/** What is recorded of a login of the command that is denied, and of one that is approved, collected and ended. */
export async function loginEvents({ app, guest }: TestApp, bob: Person, events: ChangeEvent[]): Promise<unknown[]> {
  const seen = events.length
  let token = ""
  for (const decision of ["deny", "approve"]) {
    const begun = await guest.post<OutputOf<typeof calls.cliLogins.begin>>("/cli/logins", { machine: "laptop" })
    const { userCode, deviceCode } = begun.body.data
    await bob.post(`/cli/logins/${decision}`, { userCode, ...(decision === "approve" && { scope: "read" }) })
    const polled = await guest.post<OutputOf<typeof calls.cliLogins.poll>>("/cli/logins/poll", { deviceCode })
    token = polled.body.data.token?.token ?? token
  }
  await person(app, bob.email, token).delete("/users/me/token")
  return events.slice(seen).map(({ action, caller, subject }) => [`${action} by ${caller.kind}`, subject])
}

export async function passkeyEvents(app: TestApp, bob: Person, events: ChangeEvent[]): Promise<unknown[]> {
  const seen = events.length
  await usePasskeyInEveryWay(app, bob)
  return events.slice(seen).map(({ action, caller, subject }) => [`${action} by ${caller.kind}`, subject])
}
