import { sentences, users } from "@envkeep/contract"
import fc from "fast-check"
import type { HttpResponse } from "../http-client.ts"
import { type CallContext, commandsFor, type Expected, refused, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { type Account, accountOf, endSession, learnId, type Model, normalizedEmail, sameEmail } from "../model/model.ts"
import {
  emailFaults,
  type Fault,
  loginEmailFaults,
  newPasswordFaults,
  passwordFaults,
  tokenFaults,
  usernameFaults,
} from "../model/text-rules.ts"
import { byId, storageView, userView } from "../model/views.ts"

const fillIn = "Please fill in all fields"
const fillAll = "Please fill all the fields"
const taken = refused(409, "This email is already registered")
/** Password hashing is slow on purpose, so these calls are drawn less often. */
const slowCallWeight = 1

const prefixedEmail = (model: Model, email: string) =>
  email.includes("@") ? email.replace(/\S/, `${model.emailPrefix}$&`) : email

/** Mostly the right password, since a wrong one leads nowhere. */
const guess = fc.oneof({ weight: 5, arbitrary: fc.constant("right" as const) }, draw.password)
const attempt = (guess: string, account: Account | undefined) =>
  guess === "right" ? (account?.password ?? "the password of no account") : guess

const mismatch = (password: string, password2: string): Fault[] =>
  password === password2 ? [] : ["Passwords do not match"]

const twice = fc.oneof({ weight: 8, arbitrary: fc.constant("same" as const) }, fc.constantFrom("", "another password"))
const repeated = (password: string, again: string) => (again === "same" ? password : again)

const maxGuesses = 8

export const usersCommands = {
  me: commandsFor(users.me, {
    expected: ({ account }) => ({ data: () => (account ? userView(account) : null) }),
  }),

  storage: commandsFor(users.storage, {
    expected: ({ account }) => ({ data: () => storageView(account) }),
  }),

  registration: commandsFor(users.registration, {
    weight: slowCallWeight,
    expected: () => ({ data: () => ({ mode: "open" }) }),
  }),

  register: commandsFor(users.register, {
    weight: slowCallWeight,
    draw: fc.record({ username: draw.username, email: draw.email, password: draw.password, again: twice }),
    request: ({ model }, { username, email, password, again }) => ({
      body: { username, email: prefixedEmail(model, email), password, password2: repeated(password, again) },
    }),
    expected({ model }, { username, password, again, ...drawn }) {
      const email = prefixedEmail(model, drawn.email)
      const faults = [
        ...usernameFaults(username, fillIn),
        ...emailFaults(email, fillIn),
        ...newPasswordFaults(password, fillIn),
        ...mismatch(password, repeated(password, again)),
        ...(repeated(password, again) === "" ? [fillIn] : []),
      ]
      return unless(faults, () => {
        if (accountOf(model, email) !== undefined) return taken
        return {
          data(data) {
            const id = learnId(model, "account", (data as Account).id)
            const fields = { username: username.trim(), email: email.trim(), password }
            const account: Account = { id, ...fields, isAdmin: false, collections: new Map(), trash: [] }
            model.accounts.set(id, account)
            return userView(account)
          },
        }
      })
    },
  }),

  login: commandsFor(users.login, {
    weight: slowCallWeight,
    draw: fc.record({ email: draw.email, guess }),
    applies: ({ model }, { email }) =>
      (model.guesses.get(normalizedEmail(prefixedEmail(model, email))) ?? 0) < maxGuesses,
    request({ model }, drawn) {
      const email = prefixedEmail(model, drawn.email)
      return { body: { email, password: attempt(drawn.guess, accountOf(model, email)) } }
    },
    expected(context, drawn): Expected {
      const { model } = context
      const email = prefixedEmail(model, drawn.email)
      const account = accountOf(model, email)
      const password = attempt(drawn.guess, account)
      return unless([...loginEmailFaults(email, fillIn), ...passwordFaults(password, fillIn)], () => {
        if (account?.password !== password) {
          model.guesses.set(normalizedEmail(email), (model.guesses.get(normalizedEmail(email)) ?? 0) + 1)
          return refused(401, "Invalid credentials")
        }
        return {
          data(_, received) {
            beginSession(context, account, received)
            return userView(account)
          },
        }
      })
    },
  }),

  logout: commandsFor(users.logout, {
    weight: slowCallWeight,
    expected: ({ model, browser }) => ({
      data() {
        endSession(model, browser.token ?? "")
        return null
      },
    }),
  }),

  update: commandsFor(users.update, {
    draw: fc.record({ username: draw.username, email: draw.email }),
    request: ({ model }, { username, email }) => ({ body: { username, email: prefixedEmail(model, email) } }),
    expected({ model, account }, { username, ...drawn }) {
      const email = prefixedEmail(model, drawn.email)
      return unless([...usernameFaults(username, fillAll), ...emailFaults(email, fillAll)], () => {
        const isTaken = [...model.accounts.values()].some((one) => one !== account && sameEmail(one.email, email))
        if (isTaken) return taken
        return {
          data() {
            account.username = username.trim()
            account.email = email.trim()
            return userView(account)
          },
        }
      })
    },
  }),

  changePassword: commandsFor(users.changePassword, {
    weight: slowCallWeight,
    draw: fc.record({ guess, password: draw.password, again: twice }),
    applies: ({ model, browser }) => (model.guesses.get(browser.token ?? "") ?? 0) < maxGuesses,
    request: ({ account }, { guess, password, again }) => ({
      body: { oldPassword: attempt(guess, account), password, password2: repeated(password, again) },
    }),
    expected({ model, account, browser }, { guess, password, again }) {
      const oldPassword = attempt(guess, account)
      const faults = [
        ...passwordFaults(oldPassword, fillAll),
        ...newPasswordFaults(password, fillAll),
        ...mismatch(password, repeated(password, again)),
        ...(repeated(password, again) === "" ? [fillAll] : []),
      ]
      return unless(faults, () => {
        const ownToken = browser.token ?? ""
        if (oldPassword !== account.password) {
          model.guesses.set(ownToken, (model.guesses.get(ownToken) ?? 0) + 1)
          return refused(400, "Old password is incorrect")
        }
        return {
          data() {
            account.password = password
            for (const [token, id] of model.sessions) {
              if (id === account.id && token !== ownToken) endSession(model, token)
            }
            return null
          },
        }
      })
    },
  }),

  confirm: commandsFor(users.confirm, {
    weight: slowCallWeight,
    draw: fc.record({ guess }),
    applies: ({ model, browser }) => (model.guesses.get(browser.token ?? "") ?? 0) < maxGuesses,
    request: ({ account }, { guess }) => ({ body: { password: attempt(guess, account) } }),
    expected({ model, account, browser }, { guess }) {
      const password = attempt(guess, account)
      return unless(passwordFaults(password, fillIn), () => {
        if (password === account.password) return { data: () => null }
        const ownToken = browser.token ?? ""
        model.guesses.set(ownToken, (model.guesses.get(ownToken) ?? 0) + 1)
        return refused(400, "Password is incorrect")
      })
    },
  }),

  deletion: commandsFor(users.deletion, {
    expected: ({ model, account }) => ({
      data: () => ({
        collections: byId(account.collections.values()).map(({ id, name, environments }) => ({
          id,
          name,
          environmentCount: environments.size,
          itemCount: [...environments.values()].reduce((sum, { items }) => sum + items.size, 0),
        })),
        ownedAlone: account.collections.size,
        trashedCount: account.trash.length,
        isLastAdmin: isLastAdmin(model, account),
      }),
    }),
  }),

  deleteAccountConfirmed: commandsFor(users.deleteAccountConfirmed, {
    weight: 1,
    expected: () => refused(400, "Your account has a password. Please enter it"),
  }),

  deleteAccount: commandsFor(users.deleteAccount, {
    weight: slowCallWeight,
    draw: fc.record({ guess }),
    applies: ({ model, browser }) => (model.guesses.get(browser.token ?? "") ?? 0) < maxGuesses,
    request: ({ account }, { guess }) => ({ body: { password: attempt(guess, account) } }),
    expected({ model, account, browser }, { guess }) {
      const password = attempt(guess, account)
      return unless(passwordFaults(password, fillAll), () => {
        if (password !== account.password) {
          const ownToken = browser.token ?? ""
          model.guesses.set(ownToken, (model.guesses.get(ownToken) ?? 0) + 1)
          return refused(400, "Password is incorrect")
        }
        if (isLastAdmin(model, account)) return refused(409, sentences.lastAdministrator)
        if (account.collections.size > 0) return refused(409, sentences.ownsCollections)
        return {
          data() {
            for (const [token, id] of model.sessions) if (id === account.id) endSession(model, token)
            model.accounts.delete(account.id)
            return null
          },
        }
      })
    },
  }),

  // Links are made on the command line only, so a call can do no more than guess.
  checkResetLink: commandsFor(users.checkResetLink, {
    weight: slowCallWeight,
    draw: fc.record({ token: draw.password }),
    applies: maySendToken,
    expected: (context, { token }) => unless(tokenFaults(token), () => refusedToken(context)),
  }),

  resetPassword: commandsFor(users.resetPassword, {
    weight: slowCallWeight,
    draw: fc.record({ token: draw.password, password: draw.password, again: twice }),
    applies: maySendToken,
    request: (_, { token, password, again }) => ({
      body: { token, password, password2: repeated(password, again) },
    }),
    expected(context, { token, password, again }) {
      const faults = [
        ...tokenFaults(token),
        ...newPasswordFaults(password, fillAll),
        ...mismatch(password, repeated(password, again)),
        ...(repeated(password, again) === "" ? [fillAll] : []),
      ]
      return unless(faults, () => refusedToken(context))
    },
  }),
}

function isLastAdmin(model: Model, { id, isAdmin }: Account): boolean {
  return isAdmin && ![...model.accounts.values()].some((one) => one.isAdmin && one.id !== id)
}

function maySendToken({ model }: CallContext): boolean {
  return (model.guesses.get("reset links") ?? 0) < maxGuesses
}

function refusedToken({ model }: CallContext): Expected {
  model.guesses.set("reset links", (model.guesses.get("reset links") ?? 0) + 1)
  return refused(400, "This link is not valid")
}

/** A login returns a new token and ends the browser's previous session. */
function beginSession({ model, browser }: CallContext, account: Account, { headers }: HttpResponse): void {
  const cookie = headers["set-cookie"]?.find((one) => one.startsWith("envkeep_session="))
  const token = /^envkeep_session=([\w-]{43});/.exec(cookie ?? "")?.[1]
  if (token === undefined) throw new Error(`no session cookie: ${headers["set-cookie"]}`)
  if (model.sessions.has(token) || model.endedSessions.includes(token))
    throw new Error("a session token was issued twice")
  if (browser.token !== undefined) endSession(model, browser.token)
  model.sessions.set(token, account.id)
  browser.token = token
}
