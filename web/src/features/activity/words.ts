import { type ActivityEvent, type ActivityKind, activityKinds } from "@envkeep/contract"

/** What was done, after the name of who did it. `{names}` and `{key}` are filled in. */
const deeds: Record<string, string> = {
  "item.add": "added {names}",
  "item.edit": "changed {names}",
  "item.delete": "deleted {names}",
  "items.save": "saved {names}",
  "item.restore": "restored {names}",
  "version.erase": "erased an old value of {names}",
  "environment.create": "created the environment",
  "environment.rename": "renamed the environment",
  "environment.delete": "deleted the environment",
  "environment.restore": "restored the environment to an earlier revision",
  "collection.create": "created the collection",
  "collection.update": "changed the collection’s name or description",
  "collection.delete": "deleted the collection",
  "collection.restore": "restored the collection",
  "api-key.create": "created the API key {key}",
  "api-key.delete": "deleted the API key {key}",
  "api-key.new-address": "was used from a new network",
  "session.begin": "logged in",
  "session.end": "logged out",
  "session.refuse": "could not log in: wrong e-mail or password",
  "account.create": "registered",
  "account.update": "changed the profile",
  "account.password": "changed the password",
  "account.reset-link": "made a link to reset the password of {account}",
  "account.reset-password": "set a new password with a reset link",
  "account.disable": "disabled {account}",
  "account.enable": "enabled {account}",
  "account.delete": "deleted the account {account}",
  "admin.grant": "made {account} an administrator",
  "admin.revoke": "took the administrator’s rights from {account}",
  "product.create": "created a product",
  "audit.cut": "deleted old events",
  "root-key.rotate": "replaced the root key",
  "store.restore": "restored the store from a backup",
}

export function deedOf(event: ActivityEvent): string {
  const refused = event.counts["refused"] ?? 1
  if (event.action === "session.refuse" && refused > 1) {
    return `could not log in ${refused.toLocaleString("en-US")} more times within the hour`
  }
  // An action that this version of the screen does not know yet: `item.copy` reads "item copy".
  const deed = deeds[event.action] ?? event.action.replaceAll(/[.-]/g, " ")
  return deed
    .replace("{names}", () => namesOf(event))
    .replace("{key}", () => event.key?.name ?? "")
    .replace("{account}", () => event.account?.name ?? "an account")
    .trim()
}

const maxNames = 3

function namesOf({ names, nameCount }: ActivityEvent): string {
  if (names.length === 0) return nameCount === 1 ? "1 item" : `${nameCount.toLocaleString("en-US")} items`
  const shown = names.slice(0, nameCount > maxNames + 1 ? maxNames : maxNames + 1)
  const more = nameCount - shown.length
  if (more > 0) return `${shown.join(", ")} and ${more.toLocaleString("en-US")} more`
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : String(shown[0])
}

/** Who did it. With a login that is the account, not the one that the browser was logged in to before. */
export function actorOf({ actor, account, action }: ActivityEvent): string {
  if (action === "session.refuse") return account === null ? "Someone" : `Someone as ${account.name}`
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
  keys: "API keys",
  logins: "Logins",
  accounts: "Accounts",
  server: "Server",
}

const browsers = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
] as const

const systems = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/Linux|X11/, "Linux"],
] as const

/** A browser as people call it, such as "Firefox on Linux"; of another program, its name and version. */
export function clientName(client: string): string {
  const find = (list: readonly (readonly [RegExp, string])[]) => list.find(([pattern]) => pattern.test(client))?.[1]
  if (!client.startsWith("Mozilla/")) return client.split(" ")[0] ?? ""
  const [browser, system] = [find(browsers) ?? "A browser", find(systems)]
  return system === undefined ? browser : `${browser} on ${system}`
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
