import { allows, type CollectionSummary, type EnvironmentSummary, type User } from "@envkeep/contract"
import {
  IconActivity,
  IconColumns3,
  IconFileExport,
  IconFileImport,
  IconFolderPlus,
  IconHistory,
  IconKey,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSettings,
  IconStack2,
  IconSun,
  IconTags,
  IconTrash,
  IconUser,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from "@tabler/icons-react"
import { type ArrivalDialog, environmentAddress, newEnvironmentAddress } from "../../lib/arrival.ts"

export interface Action {
  label: string
  /** The collection that it is about, unless that is the one on the page. */
  detail?: string
  /** Other words that find it. For an action with a detail, all that do. */
  words?: string
  icon: typeof IconKey
  /** An address, or what else it does. */
  does: string | (() => void)
}

interface ActionContext {
  user: User
  /** What is known of the user's collections. */
  collections: readonly CollectionSummary[]
  location: { pathname: string; search: string }
  scheme: { other: "light" | "dark"; switchScheme: () => void }
}

// A user may have ten thousand collections. What is not listed here is found by its name.
const maxOnEnvironments = 12
const maxOtherCollections = 20
const maxOtherEnvironments = 10

/** Every action that has all words of the text. Those that fit the current page come first. */
export function actionsFor(text: string, context: ActionContext): Action[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const isAskedFor = ({ label, detail = "", words: others = "" }: Action) => {
    const all = `${label} ${detail} ${others}`.toLowerCase()
    // Every collection and environment has the same actions. The name of one alone asks for none of them.
    const isByWhatItDoes = detail === "" || words.length === 0 || words.some((word) => others.includes(word))
    return isByWhatItDoes && words.every((word) => all.includes(word))
  }
  const { pathname } = context.location
  const currentId = Number(/^\/collection\/(\d+)(\/|$)/.exec(pathname)?.[1])
  const current = context.collections.find(({ id }) => id === currentId)
  const here = current === undefined ? [] : onEnvironments(current, context, words.length > 0)
  const all = [
    ...(current === undefined ? [] : onCollection(current, context)),
    ...here.filter(isAskedFor).slice(0, maxOnEnvironments),
    ...general(context),
    ...(words.length === 0 ? [] : elsewhere(current, context).filter(isAskedFor).slice(0, maxOnEnvironments)),
  ]
  return all.filter((action) => action.does !== pathname && isAskedFor(action))
}

/** On the other collections that were changed last, and on their environments. */
function elsewhere(current: CollectionSummary | undefined, { collections, location }: ActionContext): Action[] {
  return collections
    .filter((collection) => collection !== current)
    .toSorted((one, other) => (other.changedAt ?? "").localeCompare(one.changedAt ?? ""))
    .slice(0, maxOtherCollections)
    .flatMap((collection) => [
      ...onAnyCollection(collection, location).map((action) => ({ ...action, detail: collection.name })),
      ...collection.subCollections
        .slice(0, maxOtherEnvironments)
        .flatMap((environment) => onEnvironment(collection, environment, location)),
    ])
}

function onCollection(collection: CollectionSummary, { location }: ActionContext): Action[] {
  const { id, role } = collection
  const path = `/collection/${id}`
  return [
    ...onAnyCollection(collection, location),
    { label: "Sharing", words: "members people invite", icon: IconUsers, does: `${path}/sharing` },
    ...(allows(role, "maintainer")
      ? [
          { label: "Webhooks of this collection", words: "notify deploy", icon: IconWebhook, does: `${path}/webhooks` },
          { label: "Activity of this collection", words: "audit log", icon: IconActivity, does: `${path}/activity` },
          { label: "Trash of this collection", words: "deleted", icon: IconTrash, does: `${path}/trash` },
        ]
      : []),
    ...(location.pathname === path ? [] : [{ label: "Back to the collection", icon: IconStack2, does: path }]),
  ]
}

/** What is offered on the pages of other collections too. */
function onAnyCollection(
  { id, role, subCollections }: CollectionSummary,
  location: ActionContext["location"],
): Action[] {
  const path = `/collection/${id}`
  return [
    ...(subCollections.length > 1
      ? [
          {
            label: "Compare environments",
            words: "compare side by side grid",
            icon: IconColumns3,
            does: `${path}/compare`,
          },
        ]
      : []),
    ...(allows(role, "maintainer")
      ? [
          {
            label: "Create environment",
            words: "create new add environment",
            icon: IconPlus,
            does: newEnvironmentAddress(id, location),
          },
        ]
      : []),
    { label: "Names", words: "names describe descriptions about required", icon: IconTags, does: `${path}/names` },
  ]
}

/** On open environments, then on the others if they are wanted too. */
function onEnvironments(collection: CollectionSummary, { location }: ActionContext, withOthers: boolean): Action[] {
  const openIds = new Set(new URLSearchParams(location.search).getAll("env").map(Number))
  const open = collection.subCollections.filter(({ id }) => openIds.has(id))
  const others = withOthers ? collection.subCollections.filter(({ id }) => !openIds.has(id)) : []
  return [...open, ...others].flatMap((one) => onEnvironment(collection, one, location))
}

function onEnvironment(
  { id: collectionId, name: detail, role }: CollectionSummary,
  environment: EnvironmentSummary,
  location: ActionContext["location"],
): Action[] {
  const { id: environmentId, name } = environment
  const at = (open: ArrivalDialog) => environmentAddress({ collectionId, environmentId }, { open }, location)
  return [
    ...(allows(role, "reader", environment)
      ? [{ label: `Export ${name}`, detail, words: "export download copy", icon: IconFileExport, does: at("export") }]
      : []),
    ...(allows(role, "editor", environment)
      ? [
          { label: `API keys of ${name}`, detail, words: "manage api keys", icon: IconKey, does: at("keys") },
          {
            label: `Import into ${name}`,
            detail,
            words: "import upload paste",
            icon: IconFileImport,
            does: at("import"),
          },
        ]
      : []),
    {
      label: `History of ${name}`,
      detail,
      words: "history revisions restore",
      icon: IconHistory,
      does: `/collection/${collectionId}/history/${environmentId}`,
    },
  ]
}

function general({ user, scheme: { other, switchScheme } }: ActionContext): Action[] {
  return [
    { label: "Create collection", words: "new add app", icon: IconFolderPlus, does: "/collection/new" },
    { label: "Collections", words: "dashboard list", icon: IconStack2, does: "/collection/dashboard" },
    { label: "Teams", words: "groups people", icon: IconUsersGroup, does: "/user/teams" },
    { label: "Profile", words: "account password tokens sessions", icon: IconUser, does: "/user/dashboard" },
    { label: "Activity of your account", words: "audit log", icon: IconActivity, does: "/user/activity" },
    { label: "Trash", words: "deleted collections restore", icon: IconTrash, does: "/collection/trash" },
    ...(user.isAdmin
      ? [{ label: "Admin", words: "users counters instance", icon: IconSettings, does: "/admin/dashboard" }]
      : []),
    {
      label: `Switch to ${other} mode`,
      words: "theme color scheme",
      icon: other === "dark" ? IconMoon : IconSun,
      does: switchScheme,
    },
    { label: "Log out", words: "logout sign end session", icon: IconLogout, does: "/user/logout" },
  ]
}
