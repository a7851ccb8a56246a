import { sentences, users } from "@envkeep/contract"
import fc from "fast-check"
import type { HttpResponse } from "../http-client.ts"
import { commandsFor, refused } from "../model/command.ts"
import { email, newPassword, passwords } from "../model/draw.ts"
import { type CallContext, field, type RequestContext } from "../model/field.ts"
import {
  type Account,
  accountOf,
  countGuess,
  endSession,
  guessesOf,
  isLastAdmin,
  learnId,
  type Model,
  newAccount,
  normalizedEmail,
  sameEmail,
} from "../model/model.ts"
import { type Fault, loginEmailFaults, passwordFaults } from "../model/text-rules.ts"
import { byId, itemCountOf, storageView, userView } from "../model/views.ts"

const fillIn = "Please fill in all fields"
const fillAll = "Please fill all the fields"
const taken = refused(409, "This email is already registered")
/** Password hashing is slow on purpose, so these calls are drawn less often. */
const slowCallWeight = 1

/** Mostly the right password, since a wrong one leads nowhere. */
const passwordOf = (accountFor: (context: RequestContext) => Account | undefined) =>
  field({
    draw: fc.oneof({ weight: 5, arbitrary: fc.constant("right" as const) }, passwords),
    sent: (context, guess) =>
      guess === "right" ? (accountFor(context)?.password ?? "the password of no account") : guess,
    faults: passwordFaults,
  })
const ownPassword = passwordOf(({ account }) => account)
const passwordForEmail = passwordOf(({ model, input }) => accountOf(model, String(input["email"])))

/** The same password, or another one. */
const repeated = field({
  draw: fc.oneof({ weight: 8, arbitrary: fc.constant("same" as const) }, fc.constantFrom("", "another password")),
  sent: ({ input }, again) => (again === "same" ? String(input["password"]) : again),
  faults: (text, blank) => (text === "" ? [blank] : []),
})
const twice = { password: newPassword, password2: repeated }
const mismatch = ({ password, password2 }: { password: string; password2: string }): Fault[] =>
  password === password2 ? [] : ["Passwords do not match"]

const maxGuesses = 8
/** Wrong passwords are counted by the session that sends them. */
const mayGuess = ({ model, browser }: CallContext) => guessesOf(model, browser.token ?? "") < maxGuesses

/** Links are made on the command line only, so a call can do no more than guess. */
const guessedLink = {
  weight: slowCallWeight,
  applies: ({ model }: { model: Model }) => guessesOf(model, "reset links") < maxGuesses,
  refusal({ model }: { model: Model }) {
    countGuess(model, "reset links")
    return refused(400, "This link is not valid")
  },
}

export const usersCommands = {
  me: commandsFor(users.me, { data: ({ account }) => (account ? userView(account) : null) }),

  storage: commandsFor(users.storage, { data: ({ account }) => storageView(account) }),

  registration: commandsFor(users.registration, { weight: slowCallWeight, data: () => ({ mode: "open" }) }),

  register: commandsFor(users.register, {
    weight: slowCallWeight,
    fields: twice,
    blank: fillIn,
    faults: mismatch,
    refusal: ({ model, input }) => accountOf(model, input.email) !== undefined && taken,
    data({ model, input: { username, email, password } }, { id }) {
      const fields = { username: username.trim(), email: email.trim(), password, isAdmin: false }
      const account = newAccount({ id: learnId(model, "account", id), ...fields })
      model.accounts.set(id, account)
      return userView(account)
    },
  }),

  login: commandsFor(users.login, {
    weight: slowCallWeight,
    // It need not be a valid address.
    fields: { email: { ...email, faults: loginEmailFaults }, password: passwordForEmail },
    blank: fillIn,
    applies: ({ model, input }) => guessesOf(model, normalizedEmail(input.email)) < maxGuesses,
    refusal({ model, input: { email, password } }) {
      if (accountOf(model, email)?.password === password) return undefined
      countGuess(model, normalizedEmail(email))
      return refused(401, "Invalid credentials")
    },
    data({ model, browser, input }, _, received) {
      const account = accountOf(model, input.email) as Account
      const token = newSession(model, received)
      if (browser.token !== undefined) endSession(model, browser.token)
      model.sessions.set(token, account.id)
      browser.token = token
      return userView(account)
    },
  }),

  logout: commandsFor(users.logout, {
    weight: slowCallWeight,
    data({ model, browser }) {
      endSession(model, browser.token ?? "")
    },
  }),

  update: commandsFor(users.update, {
    blank: fillAll,
    refusal: ({ model, account, input: { email } }) =>
      [...model.accounts.values()].some((one) => one !== account && sameEmail(one.email, email)) && taken,
    data({ account, input: { username, email } }) {
      account.username = username.trim()
      account.email = email.trim()
      return userView(account)
    },
  }),

  changePassword: commandsFor(users.changePassword, {
    weight: slowCallWeight,
    fields: { oldPassword: ownPassword, ...twice },
    blank: fillAll,
    faults: mismatch,
    applies: mayGuess,
    refusal({ model, browser, account, input }) {
      if (input.oldPassword === account.password) return undefined
      countGuess(model, browser.token ?? "")
      return refused(400, "Old password is incorrect")
    },
    data({ model, browser, account, input }) {
      account.password = input.password
      for (const [token, id] of model.sessions) {
        if (id === account.id && token !== browser.token) endSession(model, token)
      }
    },
  }),

  confirm: commandsFor(users.confirm, {
    weight: slowCallWeight,
    fields: { password: ownPassword },
    blank: fillIn,
    applies: mayGuess,
    refusal: unlessOwnPassword,
  }),

  deletion: commandsFor(users.deletion, {
    data: ({ model, account }) => ({
      collections: byId(account.collections.values()).map(({ id, name, environments }) => ({
        id,
        name,
        environmentCount: environments.size,
        itemCount: itemCountOf(environments),
      })),
      ownedAlone: account.collections.size,
      trashedCount: account.trash.length,
      isLastAdmin: isLastAdmin(model, account),
    }),
  }),

  deleteAccountConfirmed: commandsFor(users.deleteAccountConfirmed, {
    weight: 1,
    refusal: () => refused(400, "Your account has a password. Please enter it"),
  }),

  deleteAccount: commandsFor(users.deleteAccount, {
    weight: slowCallWeight,
    fields: { password: ownPassword },
    blank: fillAll,
    applies: mayGuess,
    refusal(context) {
      const { model, account } = context
      const refusal = unlessOwnPassword(context)
      if (refusal !== undefined) return refusal
      if (isLastAdmin(model, account)) return refused(409, sentences.lastAdministrator)
      return account.collections.size > 0 && refused(409, sentences.ownsCollections)
    },
    data({ model, account }) {
      for (const [token, id] of model.sessions) if (id === account.id) endSession(model, token)
      model.accounts.delete(account.id)
    },
  }),

  checkResetLink: commandsFor(users.checkResetLink, guessedLink),

  resetPassword: commandsFor(users.resetPassword, {
    ...guessedLink,
    fields: twice,
    blank: fillAll,
    faults: mismatch,
  }),
}

function unlessOwnPassword({
  model,
  browser,
  account,
  input,
}: CallContext & { account: Account; input: { password: string } }) {
  if (input.password === account.password) return undefined
  countGuess(model, browser.token ?? "")
  return refused(400, "Password is incorrect")
}

/** The token of the session that a login began. */
function newSession(model: Model, { headers }: HttpResponse): string {
  const cookie = headers["set-cookie"]?.find((one) => one.startsWith("envkeep_session="))
  const token = /^envkeep_session=([\w-]{43});/.exec(cookie ?? "")?.[1]
  if (token === undefined) throw new Error(`no session cookie: ${headers["set-cookie"]}`)
  if (model.sessions.has(token) || model.endedSessions.includes(token))
    throw new Error("a session token was issued twice")
  return token
}
