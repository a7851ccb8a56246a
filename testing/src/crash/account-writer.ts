import type { User } from "@envkeep/contract"
import { type Browser, browser, type Target } from "./clients.ts"
import { possibleStates } from "./possible-states.ts"
import type { Writer } from "./writer.ts"

export interface Account {
  email: string
  username: string
  password: string
}

/** A user who changes their name and password, and logs in and out. */
export function accountWriter(eve: Browser, target: Target, first: Account): Writer {
  const state = possibleStates(first)
  let changes = 0
  let loggedOut: Browser[] = []

  return {
    name: "account",
    async step(random) {
      const account = state.current()
      if (account === undefined) return false
      if (random.chance(0.6)) {
        const next = { ...account, username: `name ${++changes}` }
        const { username, email } = next
        state.record(await eve.write("PUT", "/users", { username, email }), next)
      } else if (random.chance(0.5)) {
        const next = { ...account, password: `password ${++changes}` }
        const { password } = next
        const body = { oldPassword: account.password, password, password2: password }
        state.record(await eve.write("PUT", "/users/password", body), next)
      } else {
        const otherBrowser = browser(target)
        const { email, password } = account
        const login = await otherBrowser.write("POST", "/users/login", { email, password })
        if (login.kind !== "done") return login.kind === "refused"
        const copy = browser(target, new Map(otherBrowser.cookies))
        if ((await otherBrowser.write("POST", "/users/logout")).kind === "done") loggedOut.push(copy)
      }
      return state.current() !== undefined
    },
    async check() {
      const faults: string[] = []
      const me = await eve.read<User | null>("/users/me")
      const accounts = state.all().filter(({ username }) => username === me?.username)
      let found: Account | undefined
      for (const account of accounts) {
        const { email, password } = account
        if ((await eve.call("POST", "/users/login", { email, password })).status === 200) found = account
      }
      if (found === undefined) faults.push(`no possible name and password matches ${JSON.stringify(me)}`)
      else state.resolve(found)
      for (const one of loggedOut) {
        if ((await one.read<User | null>("/users/me")) !== null)
          faults.push("a session that was logged out still works")
      }
      loggedOut = []
      return faults
    },
  }
}
