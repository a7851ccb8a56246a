/** Every limit that a user can run into. The schemas, the sentences and the documents read them from here. */
export const limits = {
  /** Of collections, environments, API keys and products. Lengths are in characters (code points) unless named otherwise. */
  name: 100,
  description: 1_000,
  note: 500,
  username: 64,
  email: 254,
  passwordMin: 8,
  passwordMax: 256,
  /** Longer than those that reset links have. */
  resetToken: 100,
  itemName: 256,
  /** In bytes of UTF-8, which is what the store and every reader of a value pay for. */
  itemValueBytes: 64 * 1024,
  collectionsPerAccount: 10_000,
  /** With those that are being deleted forever, until their rows are gone. */
  trashedCollectionsPerAccount: 10_000,
  tokensPerAccount: 100,
  passkeysPerAccount: 20,
  /** Sign-ins with a passkey that have begun and not ended, on the whole server. */
  waitingPasskeySignIns: 10_000,
  /** Of a passkey's answer, in characters of base64url. A credential id has at most 1,023 bytes. */
  credentialId: 1_364,
  passkeyAnswer: 12_000,
  /** Accounts at sign-in providers. */
  identitiesPerAccount: 20,
  providerName: 32,
  /** Of the address of a page, to come back to. */
  pagePath: 500,
  /** Of one claim of a sign-in provider: the values that are looked up, and the teams that it can give. */
  valuesPerClaim: 1_000,
  teamsPerClaim: 100,
  /** That fills a team. */
  claimValue: 256,
  /** That one token can be limited to. */
  collectionsPerToken: 50,
  environmentsPerCollection: 1_000,
  /** Counted in the same way. Enough for hundreds of pull requests a day, each with an environment that is kept for 30 days. */
  trashedEnvironmentsPerCollection: 10_000,
  apiKeysPerEnvironment: 1_000,
  /** That one key can be used from: single addresses and ranges. */
  addressesPerKey: 50,
  /** For how long a key that was rolled can go on. */
  overlapMinutes: 30 * 24 * 60,
  /** How many bases an environment can have above it: its own, the base of that, and so on. */
  inheritanceLevels: 4,
  /** That inherit from one environment, directly or not. A change to it gives each of them a new revision. */
  heirsPerEnvironment: 100,
  itemsPerEnvironment: 10_000,
  environmentBytes: 4 * 1024 * 1024,
  /** A collection is read as a whole. */
  collectionBytes: 16 * 1024 * 1024,
  /** What each collection, environment, item and API key takes of an account's quota, beside its sealed value. */
  rowBytes: 512,
  /** How many bytes of an item's name are in that. The rest counts like a value, everywhere. */
  rowNameBytes: 256,
  /** What each value that was replaced or deleted takes of it, beside its sealed value and its name. */
  versionBytes: 128,
  /** How often its name counts: it is also in what removed it, and in what a rename wrote. */
  versionNames: 3,
  /** Of all replaced and deleted values of an environment. The oldest go first. */
  historyBytes: 32 * 1024 * 1024,
  /** An environment's last revisions are kept however old they are, if there is room. */
  keptRevisions: 100,
  /** In the list of the admin area. */
  accountsPerPage: 50,
  /** Collections, environments or variables in one answer of a search, and in one that continues a list. */
  foundPerKind: 20,
  foundPerPage: 100,
  /** Of the programs that read an environment. */
  listedInstances: 1_000,
  instanceLabel: 100,
  /** Enough for the longest text of each field, even if every character is escaped. */
  bodyBytes: 16 * 1024,
  /** The longest value with every byte escaped (`\u0001`), and its name. */
  itemBodyBytes: 512 * 1024,
  /** One bulk save must be able to carry a whole environment, also with much to escape. */
  bulkBodyBytes: 8 * 1024 * 1024,
  /** Of lists and objects in each other. */
  bodyDepth: 8,
  /** Elements of lists and members of objects. */
  bodyParts: 100,
  /** Edited and new items that are saved together. Longer lists are imported. */
  itemsPerSave: 1_000,
  /** People who can use one invitation, and how long it can be valid. */
  invitationUses: 1_000,
  invitationDays: 365,
  /** Of a collection, of a team, or of the server. */
  openInvitations: 100,
  membersPerCollection: 1_000,
  teamsPerCollection: 100,
  collectionsPerTeam: 1_000,
  membersPerTeam: 1_000,
  teamsPerUser: 100,
  /** Names of a collection that can be described, their text in bytes of UTF-8, and how many at once. */
  describedNames: 10_000,
  describedBytes: 4 * 1024 * 1024,
  namesPerSave: 1_000,
  example: 1_000,
  choice: 100,
  choicesPerName: 50,
  webhooksPerCollection: 20,
  /** Of all collections that an account pays for. */
  webhooksPerAccount: 500,
  webhookUrl: 2_000,
  /** That one webhook can be limited to. */
  environmentsPerWebhook: 50,
  /** Of one webhook. The oldest are given up. */
  pendingDeliveries: 1_000,
  /** Of one webhook, that are delivered or given up, and for how many days. */
  keptDeliveries: 100,
  keptDeliveryDays: 30,
  deliveriesPerPage: 25,
  /** Of the name of a machine that logs in, and of its code as people type it. */
  machine: 60,
  cliCode: 40,
  /** Of a second factor's code, as people type it. */
  factorCode: 100,
  /** Logins of machines that wait for their users, on the whole server. */
  waitingCliLogins: 1_000,
  /** Browsers that were sent to a sign-in provider and are not back yet, on the whole server. */
  waitingProviderVisits: 10_000,
  /** More than an environment holds, because blank lines and repeated names are dropped. */
  bulkLines: 20_000,
} as const
