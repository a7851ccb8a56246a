import type { User } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { clientId, clientSecret, settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startForger } from "@envkeep/testing/oidc/forger.ts"
import { beginSignIn, go } from "@envkeep/testing/oidc/sign-in.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

// What another provider of the same server, and a page of another site, could do to people.

const meOf = async (browser: Person) => (await browser.get<User | null>("/users/me")).body.data

test("two providers that give the same subject to their people speak for two accounts", async () => {
  const [acme, other] = [await startForger(), await startForger()]
  const ofOther = { ISSUER: other.issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
  const more = Object.fromEntries(Object.entries(ofOther).map(([name, value]) => [`ENVKEEP_OIDC_OTHER_${name}`, value]))
  const app = await testApp({ env: { ...settingsFor(acme.issuer), ...more, ENVKEEP_OIDC: "acme,other" } })
  Object.assign(other, { subject: acme.subject, claims: { email: "mallory@example.com" } })
  const signIns = [
    [acme, "/api/sign-in/acme", `${acme.subject}@example.com`],
    [other, "/api/sign-in/other", "mallory@example.com"],
  ] as const
  // The second time, both find their own account again.
  for (const [forger, path, email] of [...signIns, ...signIns]) {
    const browser = person(app.app)
    expect(await go(browser, forger.comeBack(await go(browser, path)))).toBe("/collection/dashboard")
    expect(await meOf(browser)).toMatchObject({ email })
  }
  expect(await app.db.selectFrom("user").select("id").execute()).toHaveLength(2)
})

test("a page of another site begins no sign-in: its visitors come to the login page, which leads where it said", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = await app.user()
  const from = (site: string) => ({ "sec-fetch-site": site, "sec-fetch-mode": "navigate" })
  for (const browser of [ann, person(app.app)]) {
    const { cookie } = browser
    for (const site of ["cross-site", "same-site"]) {
      expect(await beginSignIn(browser, "", from(site))).toBe("/login")
      expect(await beginSignIn(browser, "?to=/cli/confirm", from(site))).toBe("/login?to=%2Fcli%2Fconfirm")
      expect(await beginSignIn(browser, "?to=//example.com", from(site))).toBe("/login")
    }
    expect(browser.cookie).toBe(cookie)
  }
  expect(await app.db.selectFrom("provider_visit").select("id").execute()).toEqual([])
  expect(await meOf(ann)).toMatchObject({ email: ann.email })

  // Our own pages, an address that was typed, and browsers that do not say. All come back from another site.
  for (const headers of [from("same-origin"), from("none"), {}]) {
    const browser = person(app.app)
    const back = forger.comeBack(await beginSignIn(browser, "?to=/cli/confirm", headers))
    expect(await go(browser, back, from("cross-site"))).toBe("/cli/confirm")
    expect(await meOf(browser)).not.toBeNull()
  }
})
