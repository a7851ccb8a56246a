import type { calls } from "@envkeep/contract"
import fc, { type AsyncCommand } from "fast-check"
import type { HttpClient } from "../http-client.ts"
import type { CallCommands } from "../model/command.ts"
import type { Model } from "../model/model.ts"
import { accountsCommands } from "./accounts.ts"
import { activityCommands } from "./activity.ts"
import { adminCommands } from "./admin.ts"
import { apiKeysCommands } from "./api-keys.ts"
import { claimedTeamsCommands } from "./claimed-teams.ts"
import { cliLoginsCommands } from "./cli-logins.ts"
import { collectionsCommands } from "./collections.ts"
import { environmentsCommands } from "./environments.ts"
import { findCommands } from "./find.ts"
import { historyCommands } from "./history.ts"
import { identitiesCommands } from "./identities.ts"
import { instancesCommands } from "./instances.ts"
import { itemsCommands } from "./items.ts"
import { namesCommands } from "./names.ts"
import { passkeysCommands } from "./passkeys.ts"
import { invitationsCommands, membersCommands, teamsCommands } from "./people.ts"
import { secondFactorsCommands } from "./second-factors.ts"
import { sessionsCommands } from "./sessions.ts"
import { tokensCommands } from "./tokens.ts"
import { trashCommands } from "./trash.ts"
import { usersCommands } from "./users.ts"
import { variablesCommands } from "./variables.ts"
import { webhooksCommands } from "./webhooks.ts"

/** Commands for every call of the contract. A new call does not compile until it has some. */
export const commandsByCall: {
  [Group in keyof typeof calls]: { [Name in keyof (typeof calls)[Group]]: CallCommands }
} = {
  users: usersCommands,
  sessions: sessionsCommands,
  secondFactors: secondFactorsCommands,
  passkeys: passkeysCommands,
  identities: identitiesCommands,
  tokens: tokensCommands,
  collections: collectionsCommands,
  members: membersCommands,
  teams: teamsCommands,
  invitations: invitationsCommands,
  environments: environmentsCommands,
  history: historyCommands,
  names: namesCommands,
  webhooks: webhooksCommands,
  trash: trashCommands,
  items: itemsCommands,
  apiKeys: apiKeysCommands,
  instances: instancesCommands,
  find: findCommands,
  admin: adminCommands,
  accounts: accountsCommands,
  claimedTeams: claimedTeamsCommands,
  activity: activityCommands,
  cliLogins: cliLoginsCommands,
  variables: variablesCommands,
}

/** Sequences of commands for fast-check, which draws them and shrinks a failing one to the shortest that still fails. */
export function commandSequences(maxCommands: number, known: CallCommands[] = allCommands()) {
  const command = fc.oneof(
    ...known.map(({ weight, commands }) => ({
      weight,
      arbitrary: commands.map(
        ({ text, run }): AsyncCommand<Model, HttpClient> => ({ check: () => true, run, toString: () => text }),
      ),
    })),
  )
  return fc.commands([command], { maxCommands, size: "max" })
}

function allCommands(): CallCommands[] {
  return Object.values(commandsByCall).flatMap((group) => Object.values(group) as CallCommands[])
}
