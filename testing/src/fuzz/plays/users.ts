import { users } from "@envkeep/contract"
import fc from "fast-check"
import * as draw from "../model/draw.ts"
import { type Account, accountOf, endSession, folded, learnId, type Model, sameEmail } from "../model/model.ts"
import { type Expected, type Place, play, refused, unless } from "../model/play.ts"
import {
  emailFaults,
  type Fault,
  loginEmailFaults,
  newPasswordFaults,
  passwordFaults,
  usernameFaults,
} from "../model/text-rules.ts"
import { userView } from "../model/views.ts"
import type { Received } from "../wire.ts"

const fillIn = "Please fill in all fields"
const fillAll = "Please fill all the fields"
const taken = refused(409, "This email is already registered")
/** Passwords are slow on purpose; the rest of the contract is worth more of the time. */
const slow = 1

const mailOf = (model: Model, email: string) =>
  email.includes("@") ? email.replace(/\S/, `${model.emailPrefix}$&`) : email

/** Mostly the right password, for there is little to see behind a wrong one. */
const guess = fc.oneof({ weight: 5, arbitrary: fc.constant("right" as const) }, draw.password)
const attempt = (guess: string, account: Account | undefined) =>
  guess === "right" ? (account?.password ?? "nobody's password") : guess

const mismatch = (password: string, password2: string): Fault[] =>
  password === password2 ? [] : ["Passwords do not match"]

const twice = fc.oneof({ weight: 8, arbitrary: fc.constant("same" as const) }, fc.constantFrom("", "another password"))
const repeated = (password: string, again: string) => (again === "same" ? password : again)

const maxGuesses = 8

export const usersPlays = {
  me: play(users.me, {
    draw: fc.constant({}),
    expected: ({ account }) => ({ data: () => (account ? userView(account) : null) }),
  }),

  register: play(users.register, {
    weight: slow,
    draw: fc.record({ username: draw.username, email: draw.email, password: draw.password, again: twice }),
    message: ({ model }, { username, email, password, again }) => ({
      body: { username, email: mailOf(model, email), password, password2: repeated(password, again) },
    }),
    expected({ model }, { username, password, again, ...drawn }) {
      const email = mailOf(model, drawn.email)
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
            const account: Account = { id, ...fields, isAdmin: false, collections: new Map() }
            model.accounts.set(id, account)
            return userView(account)
          },
        }
      })
    },
  }),

  login: play(users.login, {
    weight: slow,
    draw: fc.record({ email: draw.email, guess }),
    applies: ({ model }, { email }) => (model.guesses.get(folded(mailOf(model, email))) ?? 0) < maxGuesses,
    message({ model }, drawn) {
      const email = mailOf(model, drawn.email)
      return { body: { email, password: attempt(drawn.guess, accountOf(model, email)) } }
    },
    expected(place, drawn): Expected {
      const { model } = place
      const email = mailOf(model, drawn.email)
      const account = accountOf(model, email)
      const password = attempt(drawn.guess, account)
      return unless([...loginEmailFaults(email, fillIn), ...passwordFaults(password, fillIn)], () => {
        if (account?.password !== password) {
          model.guesses.set(folded(email), (model.guesses.get(folded(email)) ?? 0) + 1)
          return refused(401, "Invalid credentials")
        }
        return {
          data(_, received) {
            beginSession(place, account, received)
            return userView(account)
          },
        }
      })
    },
  }),

  logout: play(users.logout, {
    weight: slow,
    draw: fc.constant({}),
    expected: ({ model, browser }) => ({
      data() {
        endSession(model, browser.token ?? "")
        return null
      },
    }),
  }),

  update: play(users.update, {
    draw: fc.record({ username: draw.username, email: draw.email }),
    message: ({ model }, { username, email }) => ({ body: { username, email: mailOf(model, email) } }),
    expected({ model, account }, { username, ...drawn }) {
      const email = mailOf(model, drawn.email)
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

  changePassword: play(users.changePassword, {
    weight: slow,
    draw: fc.record({ guess, password: draw.password, again: twice }),
    applies: ({ model, browser }) => (model.guesses.get(browser.token ?? "") ?? 0) < maxGuesses,
    message: ({ account }, { guess, password, again }) => ({
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
        const held = browser.token ?? ""
        if (oldPassword !== account.password) {
          model.guesses.set(held, (model.guesses.get(held) ?? 0) + 1)
          return refused(400, "Old password is incorrect")
        }
        return {
          data() {
            account.password = password
            for (const [token, id] of model.sessions) {
              if (id === account.id && token !== held) endSession(model, token)
            }
            return null
          },
        }
      })
    },
  }),
}

/** A login gives a token nobody has had, and ends the session that the browser held before. */
function beginSession({ model, browser }: Place, account: Account, { headers }: Received): void {
  const cookie = headers["set-cookie"]?.find((one) => one.startsWith("envkeep_session="))
  const token = /^envkeep_session=([\w-]{43});/.exec(cookie ?? "")?.[1]
  if (token === undefined) throw new Error(`no session cookie: ${headers["set-cookie"]}`)
  if (model.sessions.has(token) || model.endedSessions.includes(token)) throw new Error("a session token came twice")
  if (browser.token !== undefined) endSession(model, browser.token)
  model.sessions.set(token, account.id)
  browser.token = token
}
