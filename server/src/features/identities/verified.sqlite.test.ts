import type { User } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startForger } from "@envkeep/testing/oidc/forger.ts"
import { beginSignIn, go } from "@envkeep/testing/oidc/sign-in.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

// Where a provider says whether an e-mail is verified.

test("an e-mail that is verified where the provider is asked for it is, if it is the same", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  forger.claims = { email: "ann@example.com", email_verified: undefined }
  forger.userInfo = { email: "ann@example.com", email_verified: true }
  const ann = person(app.app)
  expect(await go(ann, forger.comeBack(await beginSignIn(ann)))).toBe("/collection/dashboard")
  expect((await ann.get<User>("/users/me")).body.data.email).toBe("ann@example.com")
})

test("a connected person signs in although the provider does not say whether the e-mail is verified", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const [ann, bob] = [person(app.app), person(app.app)]
  const signIn = async (who: Person) => go(who, forger.comeBack(await beginSignIn(who)))
  expect(await signIn(ann)).toBe("/collection/dashboard")
  forger.claims = { email_verified: undefined }
  forger.answer = (path, response) => path === "/userinfo" && Boolean(response.writeHead(403).end())
  expect(await signIn(ann)).toBe("/collection/dashboard")
  forger.claims = { sub: "bob", email: "bob@example.com", email_verified: undefined }
  expect(await signIn(bob)).toBe("/login?problem=unverified")
})
