import type { User } from "@envkeep/contract"
import { type Browser, browser, type Target } from "./calls.ts"
import type { Writer } from "./environments.ts"
import { possible } from "./possible.ts"

export interface Account {
  email: string
  username: string
  password: string
}

/** Somebody who changes their name and password, and logs in and out. */
export function accountWriter(eve: Browser, target: Target, first: Account): Writer {
  const state = possible(first)
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
        state.after(await eve.write("PUT", "/users", { username, email }), next)
      } else if (random.chance(0.5)) {
        const next = { ...account, password: `password ${++changes}` }
        const { password } = next
        const body = { oldPassword: account.password, password, password2: password }
        state.after(await eve.write("PUT", "/users/password", body), next)
      } else {
        const elsewhere = browser(target)
        const { email, password } = account
        const login = await elsewhere.write("POST", "/users/login", { email, password })
        if (login.kind !== "done") return login.kind === "refused"
        const copy = browser(target, new Map(elsewhere.cookies))
        if ((await elsewhere.write("POST", "/users/logout")).kind === "done") loggedOut.push(copy)
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
      if (found === undefined) faults.push(`no possible name and password fits ${JSON.stringify(me)}`)
      else state.settle(found)
      for (const one of loggedOut) {
        if ((await one.read<User | null>("/users/me")) !== null) faults.push("a session that was logged out is alive")
      }
      loggedOut = []
      return faults
    },
  }
}
