import type { ComponentType } from "react"
import { DashboardScreen } from "../features/collections/DashboardScreen.tsx"

/** The script of a screen could not be loaded: the server is down, or was updated since the page was loaded. */
export class ScreenNotLoaded extends Error {
  override name = "ScreenNotLoaded"
}

type Load = () => Promise<ComponentType>

export const screens = {
  landing: async () => (await import("../features/landing/LandingScreen.tsx")).LandingScreen,
  login: async () => (await import("../features/auth/LoginScreen.tsx")).LoginScreen,
  register: async () => (await import("../features/auth/RegisterScreen.tsx")).RegisterScreen,
  lostFactor: async () => (await import("../features/auth/LostFactorScreen.tsx")).LostFactorScreen,
  requiredFactor: async () =>
    (await import("../features/account/second-factor/RequiredFactorScreen.tsx")).RequiredFactorScreen,
  forgot: async () => (await import("../features/auth/ForgotScreen.tsx")).ForgotScreen,
  reset: async () => (await import("../features/auth/ResetScreen.tsx")).ResetScreen,
  invitation: async () => (await import("../features/invitations/InvitationScreen.tsx")).InvitationScreen,
  cliConfirm: async () => (await import("../features/account/CliConfirmScreen.tsx")).CliConfirmScreen,
  profile: async () => (await import("../features/account/ProfileScreen.tsx")).ProfileScreen,
  teams: async () => (await import("../features/teams/TeamsScreen.tsx")).TeamsScreen,
  team: async () => (await import("../features/teams/TeamScreen.tsx")).TeamScreen,
  // Where most users begin, so it is part of the first load.
  dashboard: async () => DashboardScreen,
  newCollection: async () => (await import("../features/collections/NewCollectionScreen.tsx")).NewCollectionScreen,
  collection: async () => (await import("../features/collections/CollectionScreen.tsx")).CollectionScreen,
  sharing: async () => (await import("../features/collections/sharing/SharingScreen.tsx")).SharingScreen,
  compare: async () => (await import("../features/compare/CompareScreen.tsx")).CompareScreen,
  names: async () => (await import("../features/names/NamesScreen.tsx")).NamesScreen,
  webhooks: async () => (await import("../features/webhooks/WebhooksScreen.tsx")).WebhooksScreen,
  webhook: async () => (await import("../features/webhooks/WebhookScreen.tsx")).WebhookScreen,
  history: async () => (await import("../features/history/HistoryScreen.tsx")).HistoryScreen,
  keyLeak: async () => (await import("../features/api-keys/KeyLeakScreen.tsx")).KeyLeakScreen,
  trash: async () => (await import("../features/trash/TrashScreen.tsx")).TrashScreen,
  collectionTrash: async () => (await import("../features/trash/CollectionTrashScreen.tsx")).CollectionTrashScreen,
  collectionActivity: async () =>
    (await import("../features/activity/CollectionActivityScreen.tsx")).CollectionActivityScreen,
  accountActivity: async () => (await import("../features/activity/AccountActivityScreen.tsx")).AccountActivityScreen,
  instanceActivity: async () =>
    (await import("../features/activity/InstanceActivityScreen.tsx")).InstanceActivityScreen,
  adminDashboard: async () => (await import("../features/admin/AdminDashboardScreen.tsx")).AdminDashboardScreen,
  adminUsers: async () => (await import("../features/admin/UsersScreen.tsx")).UsersScreen,
  adminCollections: async () => (await import("../features/admin/CountedScreen.tsx")).CollectionsScreen,
  adminEnvironments: async () => (await import("../features/admin/CountedScreen.tsx")).EnvironmentsScreen,
  adminItems: async () => (await import("../features/admin/CountedScreen.tsx")).ItemsScreen,
  adminSubscriptions: async () => (await import("../features/admin/CountedScreen.tsx")).SubscriptionsScreen,
  serverInvitations: async () =>
    (await import("../features/invitations/ServerInvitationsScreen.tsx")).ServerInvitationsScreen,
  products: async () => (await import("../features/admin/ProductsScreen.tsx")).ProductsScreen,
} satisfies Record<string, Load>

export const loadFind = async () => (await import("../features/find/FindResults.tsx")).FindResults
export const loadConfirm = async () => (await import("../features/auth/ConfirmAgainDialog.tsx")).ConfirmAgainDialog
export const loadNotices = async () => (await import("./NoticeArea.tsx")).NoticeArea
export const loadMenu = async () => (await import("./MobileMenu.tsx")).MobileMenu

/** Loads the screen of a route. */
export async function loadScreen<Screen>(load: () => Promise<Screen>): Promise<Screen> {
  try {
    return await load()
  } catch (error) {
    throw new ScreenNotLoaded("A screen could not be loaded", { cause: error })
  }
}

const signsOfUse = ["pointermove", "pointerdown", "keydown"] as const

/**
 * Loads the other screens while the browser is idle, so that they also open when the server is down. Not before the first
 * sign of use: the screen that was opened comes first, and a visitor who only looks needs no other. `untilFree` resolves when
 * nothing more important is being fetched.
 */
export function preloadInUse(untilFree: () => Promise<void>): void {
  const whenIdle =
    "requestIdleCallback" in globalThis ? requestIdleCallback : (run: () => void) => setTimeout(run, 2_000)
  const used = new AbortController()
  const preload = () => {
    used.abort()
    whenIdle(async () => {
      for (const load of [loadNotices, loadFind, ...Object.values(screens), loadMenu, loadConfirm]) {
        await untilFree()
        // The error is shown when the screen is opened.
        await load().catch(() => undefined)
      }
    })
  }
  for (const sign of signsOfUse) addEventListener(sign, preload, { passive: true, signal: used.signal })
}
