import { type AccountSummary, accounts } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { anyData, commandsAbout, commandsFor, notFound, refused } from "../model/command.ts"
import { unknownId } from "../model/draw.ts"
import { field } from "../model/field.ts"
import { type Account, endSession, environmentsOf, isLastAdmin } from "../model/model.ts"
import { storageView, userView } from "../model/views.ts"

export const accountsCommands = {
  list: commandsFor(accounts.list, {
    weight: 2,
    data({ model, input: { show = "everyone" } }, data) {
      const listed = [...model.accounts.values()].filter(
        ({ isAdmin }) => show === "everyone" || (show === "admins" && isAdmin),
      )
      if (model.isOnlyWriter) expect(data.total).toBe(listed.length)
      for (const user of data.users) {
        const account = model.accounts.get(user.id)
        if (account !== undefined) expect(user).toEqual(summaryView(account, user))
      }
      return data
    },
  }),
  // No account of the model is disabled, so that logins and keys go on. `accounts.test.ts` is about disabled accounts.
  disable: commandsFor(accounts.disable, {
    weight: 1,
    fields: { id: field({ draw: fc.boolean(), sent: ({ account }, isOwn) => (isOwn && account?.id) || unknownId }) },
    refusal: ({ input: { id } }) =>
      id === unknownId ? notFound("User") : refused(409, "You cannot disable your own account"),
  }),
  enable: commandsAbout("account", accounts.enable, { weight: 1 }),
  endSessions: commandsAbout("account", accounts.endSessions, {
    weight: 1,
    data({ model, browser, target }) {
      for (const [token, id] of model.sessions) {
        if (id === target.id && token !== browser.token) endSession(model, token)
      }
    },
  }),
  createResetLink: commandsAbout("account", accounts.createResetLink, { weight: 1, data: anyData }),
  createFactorLink: commandsAbout("account", accounts.createFactorLink, {
    weight: 1,
    refusal: () => refused(409, "There is no second factor"),
  }),
  grantAdmin: commandsAbout("account", accounts.grantAdmin, {
    weight: 1,
    data({ target }) {
      target.isAdmin = true
    },
  }),
  revokeAdmin: commandsAbout("account", accounts.revokeAdmin, {
    weight: 1,
    // Otherwise there may be administrators that the model does not know.
    applies: ({ model }) => model.isOnlyWriter,
    refusal: ({ model, target }) =>
      isLastAdmin(model, target) && refused(409, "This is the last administrator. Make another account one first"),
    data({ target }) {
      target.isAdmin = false
    },
  }),
}

const summaryView = (account: Account, { createdAt, lastSignInAt }: AccountSummary): AccountSummary => ({
  ...userView(account),
  isDisabled: false,
  hasSecondFactor: false,
  createdAt,
  lastSignInAt,
  collections: account.collections.size,
  items: environmentsOf(account).reduce((sum, { environment }) => sum + environment.items.size, 0),
  bytes: storageView(account).usedBytes,
})
