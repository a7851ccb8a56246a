import { type AccountSummary, accountGroups, accountSorts, accounts, type Call, type OutputOf } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import {
  type CallCommands,
  commandsFor,
  type Expected,
  notFound,
  refused,
  type SignedInContext,
} from "../model/command.ts"
import { type Account, endSession, environmentsOf, type Model } from "../model/model.ts"
import { storageView } from "../model/views.ts"

const done: Expected = { data: () => null }
const unknownId = 987_654_321

/** One of the model's accounts; sometimes one that does not exist. */
const pick = (model: Model, at: number): Account | undefined =>
  [...model.accounts.values(), undefined][at % (model.accounts.size + 1)]

const activeAdmins = (model: Model) => [...model.accounts.values()].filter(({ isAdmin }) => isAdmin)

function onAccount(
  call: Call,
  expected: (context: SignedInContext, account: Account) => Expected,
  applies: (model: Model) => boolean = () => true,
): CallCommands {
  return commandsFor(call, {
    weight: 1,
    draw: fc.nat(20),
    applies: ({ model }) => applies(model),
    request: ({ model }, at) => ({ id: pick(model, at)?.id ?? unknownId }),
    expected(context, at) {
      const account = pick(context.model, at)
      return account === undefined ? notFound("User") : expected(context as SignedInContext, account)
    },
  })
}

export const accountsCommands = {
  list: commandsFor(accounts.list, {
    weight: 2,
    draw: fc.record({
      sort: fc.constantFrom(...accountSorts),
      order: fc.constantFrom("asc", "desc"),
      show: fc.constantFrom(...accountGroups),
    }),
    expected: ({ model }, { show }) => ({
      data(data) {
        const { users, total } = data as OutputOf<typeof accounts.list>
        const listed = [...model.accounts.values()].filter(
          ({ isAdmin }) => show === "everyone" || (show === "admins" && isAdmin),
        )
        if (model.isOnlyWriter) expect(total).toBe(listed.length)
        for (const user of users) {
          const account = model.accounts.get(user.id)
          if (account !== undefined) expect(user).toEqual(summaryView(account, user))
        }
        return data
      },
    }),
  }),
  // No account of the model is disabled, so that logins and keys go on. `accounts.test.ts` is about disabled accounts.
  disable: commandsFor(accounts.disable, {
    weight: 1,
    draw: fc.boolean(),
    request: ({ account }, isOwn) => ({ id: isOwn ? (account?.id ?? unknownId) : unknownId }),
    expected: (_, isOwn) => (isOwn ? refused(409, "You cannot disable your own account") : notFound("User")),
  }),
  enable: onAccount(accounts.enable, () => done),
  endSessions: onAccount(accounts.endSessions, ({ model, browser }, account) => ({
    data() {
      for (const [token, id] of model.sessions) {
        if (id === account.id && token !== browser.token) endSession(model, token)
      }
      return null
    },
  })),
  createResetLink: onAccount(accounts.createResetLink, () => ({ data: (data) => data })),
  createFactorLink: onAccount(accounts.createFactorLink, () => refused(409, "There is no second factor")),
  grantAdmin: onAccount(accounts.grantAdmin, (_, account) => ({
    data() {
      account.isAdmin = true
      return null
    },
  })),
  revokeAdmin: onAccount(
    accounts.revokeAdmin,
    ({ model }, account) => {
      if (account.isAdmin && activeAdmins(model).length === 1)
        return refused(409, "This is the last administrator. Make another account one first")
      return {
        data() {
          account.isAdmin = false
          return null
        },
      }
    },
    // Otherwise there may be administrators that the model does not know.
    ({ isOnlyWriter }) => isOnlyWriter,
  ),
}

function summaryView(account: Account, { createdAt, lastSignInAt }: AccountSummary): AccountSummary {
  const { id, username, email, isAdmin, collections } = account
  const items = environmentsOf(account).reduce((sum, { environment }) => sum + environment.items.size, 0)
  const bytes = storageView(account).usedBytes
  return {
    id,
    username,
    email,
    isAdmin,
    isDisabled: false,
    hasSecondFactor: false,
    createdAt,
    lastSignInAt,
    collections: collections.size,
    items,
    bytes,
  }
}
