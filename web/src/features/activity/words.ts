import { type ActivityEvent, type ActivityKind, activityKinds } from "@envkeep/contract"
import { counted, formatNumber } from "../../ui/counts.ts"

/** What was done, after the name of who did it. `{names}`, `{key}` and the like are filled in. */
export const deeds = {
  "item.add": "added {names}",
  "item.edit": "changed {names}",
  "item.delete": "deleted {names}",
  "items.save": "saved {names}",
  "item.copy": "copied {names}{source}",
  "item.restore": "restored {names}",
  "version.erase": "erased an old value of {names}",
  "name.describe": "described {names}",
  "name.undescribe": "removed the description of {names}",
  "environment.create": "created the environment{source}",
  "environment.rename": "renamed the environment",
  "environment.delete": "moved the environment to the trash",
  "environment.recover": "restored the environment from the trash",
  "environment.purge": "deleted the environment forever",
  "environment.protect": "protected the environment",
  "environment.unprotect": "ended the protection of the environment",
  "environment.rebase": "changed what the environment inherits from",
  "environment.inherit": "changed what the environment inherits",
  "environment.restore": "restored the environment to an earlier revision",
  "collection.create": "created the collection",
  "collection.duplicate": "duplicated the collection",
  "collection.update": "changed the collection’s name or description",
  "collection.delete": "moved the collection to the trash",
  "collection.recover": "restored the collection from the trash",
  "collection.purge": "deleted the collection forever",
  "trash.empty": "emptied the trash",
  "history.prune": "deleted old revisions",
  "collection.request-transfer": "asked {account} to take the collection over",
  "collection.end-transfer": "ended the request to {account} to take the collection over",
  "collection.take-over": "took the collection over",
  "member.add": "added {account}{role}",
  "member.change": "changed the role of {account}{newRole}",
  "member.remove": "removed {account}",
  "member.leave": "left the collection",
  "member.add-team": "added the team {team}{role}",
  "member.change-team": "changed the role of the team {team}{newRole}",
  "member.remove-team": "removed the team {team}",
  "team.create": "created the team {team}",
  "team.rename": "renamed a team to {team}",
  "team.delete": "deleted the team {team}",
  "team.add-member": "added {account} to the team {team}",
  "team.change-member": "changed whether {account} is an admin of the team {team}",
  "team.remove-member": "removed {account} from the team {team}",
  "team.leave": "left the team {team}",
  "team.tie": "let a claim of the sign-in providers fill the team {team}",
  "team.untie": "no longer lets a claim of the sign-in providers fill the team {team}",
  "invitation.create": "made an invitation{role}",
  "invitation.revoke": "revoked an invitation",
  "invitation.accept": "accepted an invitation{role}",
  "api-key.create": "created the API key {key}",
  "api-key.update": "changed the settings of the API key {key}",
  "api-key.disable": "disabled the API key {key}",
  "api-key.enable": "enabled the API key {key}",
  "api-key.roll": "rolled the API key {key}",
  "api-key.delete": "deleted the API key {key}",
  "api-key.new-address": "was used from a new network",
  "api-key.refuse": "refused the API key {key} {refused} times in a day",
  "webhook.create": "created the webhook to {host}",
  "webhook.update": "changed the webhook to {host}",
  "webhook.delete": "deleted the webhook to {host}",
  "webhook.rotate-secret": "gave the webhook to {host} another secret",
  "webhook.disable": "disabled the webhook to {host}, because nothing could be delivered",
  "session.begin": "logged in",
  "session.end": "logged out",
  "session.end-one": "ended a session",
  "session.end-others": "ended all other sessions",
  "passkey.add": "added the passkey {names}",
  "passkey.rename": "renamed a passkey to {names}",
  "passkey.remove": "removed the passkey {names}",
  "passkey.refuse": "was refused with the passkey {names}, which may have been copied",
  "token.create": "created the token {token}",
  "token.revoke": "revoked the token {token}",
  "token.approve": "let {token} log in",
  "token.deny": "refused the login of {token}",
  "identity.connect": "connected an account at a sign-in provider",
  "identity.disconnect": "disconnected an account at a sign-in provider",
  "session.refuse": "could not log in: wrong email or password",
  "session.refuse-factor": "could not log in: wrong second factor",
  "session.refuse-confirm": "could not confirm with the password",
  "totp.enable": "switched on an authenticator app",
  "totp.disable": "switched off the authenticator app",
  "recovery-codes.create": "made new recovery codes",
  "recovery-code.use": "used a recovery code",
  "account.factor-link": "made a link to log in without the second factor for {account}",
  "account.remove-factors": "removed all second factors with a link",
  "account.create": "registered",
  "account.update": "changed the profile",
  "account.password": "changed the password",
  "account.reset-link": "made a link to reset the password of {account}",
  "account.reset-password": "set a new password with a reset link",
  "account.forgot-password": "asked for a link to set a new password",
  "account.disable": "disabled {account}",
  "account.enable": "enabled {account}",
  "account.end-sessions": "ended the sessions of {account}",
  "account.delete": "deleted the account {account}",
  "admin.grant": "made {account} an administrator",
  "admin.revoke": "took the administrator’s rights from {account}",
  "product.create": "created a product",
  "audit.cut": "deleted old events",
  "root-key.rotate": "replaced the root key",
  "store.backup": "backed up the store",
  "store.restore": "restored the store from a backup",
}

/** Of events that an earlier version has written. */
const earlierDeeds: Record<string, string> = { "collection.transfer": "gave the collection to {account}" }

/** The first of an hour is an event of its own, and the others are counted in another. */
const refusedAgain = {
  "session.refuse": "could not log in",
  "session.refuse-factor": "failed the second step of a login",
  "session.refuse-confirm": "could not confirm with the password",
}

export function deedOf(event: ActivityEvent): string {
  const refused = event.counts["refused"] ?? 1
  const again = (refusedAgain as Record<string, string>)[event.action]
  if (again !== undefined && refused > 1) return `${again} ${formatNumber(refused)} more times within the hour`
  // An action that this version of the screen does not know yet: `item.move` reads "item move".
  const deed =
    (deeds as Record<string, string>)[event.action] ??
    earlierDeeds[event.action] ??
    event.action.replaceAll(/[.-]/g, " ")
  const isByToken = event.token !== null && !event.action.startsWith("token.")
  return `${deed}${isByToken ? " with the token {token}" : ""}`
    .replace("{names}", () => namesOf(event))
    .replace("{key}", () => event.key?.name ?? "")
    .replace("{refused}", () => formatNumber(refused))
    .replace("{source}", () => (event.source === null ? "" : ` from ${event.source.name}`))
    .replace("{team}", () => event.team?.name ?? "")
    .replace("{role}", () => (event.role === null ? "" : ` as ${event.role}`))
    .replace("{newRole}", () => (event.role === null ? "" : ` to ${event.role}`))
    .replace("{host}", () => event.webhookHost ?? "a receiver")
    .replace("{token}", () => event.token ?? "")
    .replace("{account}", () => event.account?.name ?? "an account")
    .trim()
}

const maxNames = 3

function namesOf({ names, nameCount }: ActivityEvent): string {
  if (names.length === 0) return counted(nameCount, "item")
  const shown = names.slice(0, nameCount > maxNames + 1 ? maxNames : maxNames + 1)
  const more = nameCount - shown.length
  if (more > 0) return `${shown.join(", ")} and ${formatNumber(more)} more`
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : String(shown[0])
}

/** Who did it. With a login that is the account, not the one that the browser was logged in to before. */
export function actorOf({ actor, account, action }: ActivityEvent): string {
  if (action.startsWith("session.refuse")) return account === null ? "Someone" : `Someone as ${account.name}`
  if (actor.kind === "server") return "The server"
  if (actor.kind === "key") return actor.name === "" ? "An API key" : `The API key ${actor.name}`
  if (actor.kind === "user" && action !== "session.begin") return actor.name
  return account?.name ?? "Someone"
}

export function kindOf({ action }: ActivityEvent): ActivityKind {
  const [word = ""] = action.split(".")
  const kinds = Object.entries(activityKinds) as [ActivityKind, readonly string[]][]
  return kinds.find(([, words]) => words.includes(word))?.[0] ?? "server"
}

export const kindLabels: Record<ActivityKind, string> = {
  items: "Items",
  environments: "Environments",
  collections: "Collections",
  people: "People",
  keys: "API keys",
  webhooks: "Webhooks",
  logins: "Logins",
  accounts: "Accounts",
  server: "Server",
}

/** The day of an event in the reader's own time, as a heading. */
export function dayOf(iso: string, now = new Date()): string {
  const day = new Date(iso)
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (day.toDateString() === now.toDateString()) return "Today"
  if (day.toDateString() === yesterday.toDateString()) return "Yesterday"
  return day.toLocaleDateString("en-US", { weekday: "long", day: "numeric", month: "long", year: "numeric" })
}

export function timeOf(iso: string): string {
  return new Date(iso).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })
}
