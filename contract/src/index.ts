import { accounts } from "./accounts.ts"
import { activity } from "./activity.ts"
import { admin } from "./admin.ts"
import { apiKeys } from "./api-keys.ts"
import { claimedTeams } from "./claimed-teams.ts"
import { cliLogins } from "./cli-logins.ts"
import { collections } from "./collections.ts"
import { environments } from "./environments.ts"
import { find } from "./find.ts"
import { history } from "./history.ts"
import { identities } from "./identities.ts"
import { instances } from "./instances.ts"
import { invitations } from "./invitations.ts"
import { items } from "./items.ts"
import { mailCalls } from "./mail.ts"
import { members } from "./members.ts"
import { names } from "./names.ts"
import { passkeys } from "./passkeys.ts"
import { secondFactors } from "./second-factors.ts"
import { sessions } from "./sessions.ts"
import { teams } from "./teams.ts"
import { tokens } from "./tokens.ts"
import { trash } from "./trash.ts"
import { users } from "./users.ts"
import { variables } from "./variables.ts"
import { webhooks } from "./webhooks.ts"

export * from "./accounts.ts"
export * from "./activity.ts"
export * from "./admin.ts"
export * from "./api-keys.ts"
export * from "./call.ts"
export * from "./claimed-teams.ts"
export * from "./cli-logins.ts"
export { clientName } from "./client-name.ts"
export * from "./collections.ts"
export * from "./conflicts.ts"
export * from "./environments.ts"
export * from "./find.ts"
export * from "./first-calls.ts"
export * from "./held-tags.ts"
export * from "./history.ts"
export * from "./identities.ts"
export * from "./instances.ts"
export * from "./invitations.ts"
export * from "./items.ts"
export { limits } from "./limits.ts"
export { type CheckedList, listOf } from "./long-list.ts"
export * from "./mail.ts"
export * from "./members.ts"
export * from "./names.ts"
export * from "./pages.ts"
export * from "./passkeys.ts"
export * from "./registration.ts"
export * from "./roles.ts"
export * from "./second-factors.ts"
export { refusedField, sentences } from "./sentences.ts"
export * from "./sessions.ts"
export * from "./teams.ts"
export { harmless, hasCharacters } from "./text.ts"
export * from "./tokens.ts"
export * from "./trash.ts"
export * from "./users.ts"
export * from "./variables.ts"
export * from "./webhooks.ts"

/** Every call, by feature, except those that only a server with mail has. */
export const calls = {
  users,
  sessions,
  secondFactors,
  passkeys,
  identities,
  tokens,
  collections,
  members,
  teams,
  invitations,
  environments,
  history,
  names,
  webhooks,
  trash,
  items,
  apiKeys,
  instances,
  find,
  admin,
  accounts,
  claimedTeams,
  activity,
  cliLogins,
  variables,
}

/** Those of a server that sends mail. */
export function callsWithMail() {
  return {
    ...calls,
    users: { ...users, ...mailCalls.users },
    invitations: { ...invitations, ...mailCalls.invitations },
    admin: { ...admin, ...mailCalls.admin },
  }
}
