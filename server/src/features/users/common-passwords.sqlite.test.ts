import { sentences } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { dictionary } from "@zxcvbn-ts/language-common"
import { expect, test } from "vitest"
import { theServer } from "../../access/caller.ts"
import { hashPassword } from "../../keys/password.ts"
import { createAdminUnlessTaken } from "./administration.ts"
import { isCommonPassword } from "./common-passwords.ts"
import { createReset } from "./resets/rules.ts"

const refused = { status: 400, body: { error: true, msg: sentences.passwordCommon, data: null } }
const account = { username: "wonderwoman77", email: "diana.prince@example.com" }

test("a common password is refused in any case and width, and so are the account's own names", async () => {
  const long = dictionary["passwords-common"].filter(({ length }) => length >= 8).slice(0, 3_000)
  expect(long).toHaveLength(3_000)
  const passed = []
  for (const one of long) if (!(await isCommonPassword(one.toUpperCase(), undefined))) passed.push(one)
  expect(passed).toEqual([])
  for (const own of [
    "WonderWoman77",
    "Diana.Prince@example.com",
    "diana.prince",
    " password1 ",
    "ｐａｓｓｗｏｒｄ１",
  ]) {
    expect([own, await isCommonPassword(own, account)]).toEqual([own, true])
  }
  for (const fine of [password, "wonderwoman78", "diana.prince@example", "x".repeat(20), "пароль и ещё"]) {
    expect([fine, await isCommonPassword(fine, account)]).toEqual([fine, false])
  }
})

test("it is refused when an account is made, and when its password is changed or reset", async () => {
  const app = await testApp()
  const ann = await app.user("ann.the.admin@example.com")
  for (const chosen of ["Passw0rd", "12345678", account.username, account.email.toUpperCase()]) {
    const form = { ...account, password: chosen, password2: chosen }
    expect(await app.guest.post("/users/register", form)).toMatchObject(refused)
    const { id } = (await ann.get<{ id: number }>("/users/me")).body.data
    const { token } = await createReset(app.core, theServer, id)
    const own =
      chosen === account.email.toUpperCase() ? ann.email : chosen === account.username ? "ann.the.admin" : chosen
    expect(await ann.put("/users/password", { oldPassword: password, password: own, password2: own })).toMatchObject(
      refused,
    )
    expect(await app.guest.post("/users/password/reset", { token, password: own, password2: own })).toMatchObject(
      refused,
    )
    // The link still works.
    expect((await app.guest.post("/users/password/reset-link", { token })).status).toBe(200)
  }
  expect((await ann.get("/users/me")).body.data).not.toBeNull()
  const made = await app.db.selectFrom("user").select("id").where("email", "=", account.email).execute()
  expect(made).toEqual([])

  // An account that has one can go on with it, and get a better one.
  const passwordHash = await hashPassword("iloveyou", "test")
  await app.db.updateTable("user").set({ password_hash: passwordHash }).where("email", "=", ann.email).execute()
  expect((await ann.post("/users/login", { email: ann.email, password: "iloveyou" })).status).toBe(200)
  expect((await ann.put("/users/password", { oldPassword: "iloveyou", password, password2: password })).status).toBe(
    200,
  )
})

test("the administrator of the settings needs a better one too, unless the account is there already", async () => {
  const app = await testApp()
  const admin = { email: "boss@example.com", password: "password1" }
  expect(await createAdminUnlessTaken(app.core, admin)).toBe("common password")
  expect(await createAdminUnlessTaken(app.core, { ...admin, password })).toBe("created")
  expect(await createAdminUnlessTaken(app.core, admin)).toBe("already admin")

  const env = { ENVKEEP_ADMIN_EMAIL: "boss@example.com", ENVKEEP_ADMIN_PASSWORD: "trustno1" }
  const { code, err } = await run(await newStoreLocation(), { env }).ended
  expect([code, err]).toEqual([
    78,
    "envkeep: ENVKEEP_ADMIN_PASSWORD is too easy to guess: choose one that is not common, and not the e-mail\n",
  ])
})
