/** The most requests, and the most bytes. */
export type Limit = readonly [requests: number, bytes: number]

export interface ScreenCost {
  /** With the places of the journey in braces. */
  at: string
  heading: string
  /** Left out for a signed-in administrator. A newcomer has no second factor, where the server requires one. */
  as?: "guest" | "newcomer"
  /** Of the first visit, with an empty cache: the page with its scripts, and the calls. */
  files: Limit
  api: Limit
  /** Of the tab that is shown again, ten minutes after it was hidden. */
  again: Limit
}

/**
 * What each screen may move, in both directions and with headers, by its name in `web/src/app/screens.ts`. The requests are
 * those that were counted, the bytes 15 % more.
 */
export const screenCosts: Record<string, ScreenCost> = {
  landing: {
    at: "/",
    as: "guest",
    heading: "Environment variables, kept.",
    files: [5, 136_000],
    api: [0, 0],
    again: [0, 0],
  },
  login: { at: "/login", as: "guest", heading: "Login", files: [16, 331_000], api: [1, 1_300], again: [0, 0] },
  register: { at: "/register", as: "guest", heading: "Register", files: [14, 326_000], api: [1, 1_300], again: [0, 0] },
  lostFactor: {
    at: "/lost-factor#token",
    as: "guest",
    heading: "Log in without your second factor",
    files: [14, 326_000],
    api: [1, 1_300],
    again: [0, 0],
  },
  forgot: {
    at: "/forgot",
    as: "guest",
    heading: "Forgot your password?",
    files: [13, 324_000],
    api: [1, 1_300],
    again: [0, 0],
  },
  reset: {
    at: "/reset#token",
    as: "guest",
    heading: "Reset password",
    files: [14, 326_000],
    api: [2, 2_700],
    again: [1, 1_400],
  },
  invitation: {
    at: "/invitation#{invitation}",
    as: "guest",
    heading: "Invitation",
    files: [13, 325_000],
    api: [2, 2_800],
    again: [0, 0],
  },
  requiredFactor: {
    at: "/user/second-factor",
    as: "newcomer",
    heading: "Set up a second factor",
    files: [15, 333_000],
    api: [1, 1_600],
    again: [0, 0],
  },
  cliConfirm: {
    at: "/cli/confirm",
    heading: "Log in to the command line",
    files: [16, 333_000],
    api: [1, 1_500],
    again: [0, 0],
  },
  profile: { at: "/user/dashboard", heading: "Profile", files: [18, 345_000], api: [7, 10_300], again: [6, 8_800] },
  accountActivity: {
    at: "/user/activity",
    heading: "Your activity",
    files: [13, 326_000],
    api: [2, 9_400],
    again: [1, 7_900],
  },
  teams: { at: "/user/teams", heading: "Teams", files: [13, 326_000], api: [2, 3_000], again: [1, 1_500] },
  team: { at: "/user/teams/{team}", heading: "payments", files: [14, 330_000], api: [3, 4_500], again: [2, 3_000] },
  dashboard: {
    at: "/collection/dashboard",
    heading: "Collections",
    files: [4, 174_000],
    api: [4, 6_200],
    again: [3, 4_700],
  },
  newCollection: {
    at: "/collection/new",
    heading: "New Collection",
    files: [13, 326_000],
    api: [1, 1_500],
    again: [0, 0],
  },
  trash: { at: "/collection/trash", heading: "Trash", files: [14, 329_000], api: [2, 2_900], again: [1, 1_500] },
  collection: {
    at: "/collection/{collection}?env={environment}",
    heading: "billing-api",
    files: [23, 429_000],
    api: [6, 11_000],
    again: [2, 3_100],
  },
  sharing: {
    at: "/collection/{collection}/sharing",
    heading: "Sharing",
    files: [16, 336_000],
    api: [7, 12_700],
    again: [6, 9_100],
  },
  compare: {
    at: "/collection/{collection}/compare",
    heading: "Compare",
    files: [18, 368_000],
    api: [4, 8_100],
    again: [2, 3_100],
  },
  names: {
    at: "/collection/{collection}/names",
    heading: "Names",
    files: [14, 335_000],
    api: [4, 8_100],
    again: [2, 3_100],
  },
  webhooks: {
    at: "/collection/{collection}/webhooks",
    heading: "Webhooks",
    files: [15, 332_000],
    api: [4, 8_400],
    again: [3, 4_700],
  },
  webhook: {
    at: "/collection/{collection}/webhooks/{webhook}",
    heading: "127.0.0.1:1",
    files: [16, 336_000],
    api: [5, 9_800],
    again: [4, 6_200],
  },
  history: {
    at: "/collection/{collection}/history/{environment}",
    heading: "History of production",
    files: [15, 333_000],
    api: [4, 8_600],
    again: [3, 5_000],
  },
  keyLeak: {
    at: "/collection/{collection}/api-key/{apiKey}/leak",
    heading: "If web-server-1 leaked",
    files: [15, 332_000],
    api: [4, 9_800],
    again: [3, 6_100],
  },
  collectionTrash: {
    at: "/collection/{collection}/trash",
    heading: "Trash",
    files: [14, 329_000],
    api: [4, 8_100],
    again: [3, 4_500],
  },
  collectionActivity: {
    at: "/collection/{collection}/activity",
    heading: "Activity",
    files: [13, 326_000],
    api: [5, 14_500],
    again: [4, 10_900],
  },
  adminDashboard: {
    at: "/admin/dashboard",
    heading: "Admin Dashboard",
    files: [16, 344_000],
    api: [4, 6_100],
    again: [3, 4_700],
  },
  products: { at: "/admin/products", heading: "Products", files: [13, 333_000], api: [2, 2_900], again: [1, 1_500] },
  instanceActivity: {
    at: "/admin/activity",
    heading: "Server activity",
    files: [13, 326_000],
    api: [2, 8_800],
    again: [1, 7_300],
  },
  serverInvitations: {
    at: "/admin/invitations",
    heading: "Invitations",
    files: [13, 326_000],
    api: [2, 2_900],
    again: [1, 1_400],
  },
  adminSubscriptions: {
    at: "/admin/subscriptions",
    heading: "Subscriptions",
    files: [15, 333_000],
    api: [4, 6_100],
    again: [3, 4_600],
  },
  adminUsers: { at: "/admin/users", heading: "Users", files: [17, 338_000], api: [2, 3_200], again: [1, 1_700] },
  adminItems: { at: "/admin/items", heading: "Items", files: [15, 333_000], api: [4, 6_700], again: [3, 5_200] },
  adminCollections: {
    at: "/admin/collections",
    heading: "Collections",
    files: [15, 333_000],
    api: [4, 6_700],
    again: [3, 5_200],
  },
  adminEnvironments: {
    at: "/admin/environments",
    heading: "Environments",
    files: [15, 333_000],
    api: [4, 6_800],
    again: [3, 5_300],
  },
}
