import { type Call, calls } from "@envkeep/contract"
import { password } from "@envkeep/testing/running-app.ts"

// A request for every call. They have the type of the contract, so a new call does not compile until it has one.

export interface Sample {
  /** The id in the path. */
  id?: number
  revision?: number
  /** Other ids in the path. */
  ids?: Record<string, number>
  query?: string
  body?: unknown
  /** The answer to other users if the id is the owner's; absent if the call takes no such id. */
  notFound?: string
}

/** The ids of what the owner has. */
export interface Ids {
  ownerId: number
  collectionId: number
  environmentId: number
  /** Of the same collection, with another value of the same item. */
  otherEnvironmentId: number
  itemId: number
  apiKeyId: number
  sessionId: number
  tokenId: number
  passkeyId: number
  identityId: number
  /** In the trash, with the name "deleted". */
  trashedCollectionId: number
  trashedEnvironmentId: number
  /** A viewer of the collection, who is an admin of both teams too. */
  memberId: number
  /** Of a user who is not in the collection. */
  newcomer: string
  teamId: number
  /** A viewer of the collection. */
  addedTeamId: number
  invitationId: number
  teamInvitationId: number
  serverInvitationId: number
  webhookId: number
  deliveryId: number
  /** Of the invitation to the collection. */
  secret: string
  /** Of a login of the command that waits. */
  userCode: string
}

type SessionCalls = Omit<typeof calls, "variables">
type Samples = { [Group in keyof SessionCalls]: { [Name in keyof SessionCalls[Group]]: (ids: Ids) => Sample } }

const collection = "Collection not found"
const environment = "Environment not found"
const team = "Team not found"
const product = { name: "p", description: "", type: "DIGITAL", category: "OTHER" }
const profile = { username: "new", email: "new@example.com" }

const signedAnswer = answerOf({ authenticatorData: "AA", signature: "AA", userHandle: "AA" })

const samples: Samples = {
  users: {
    me: () => ({}),
    storage: () => ({}),
    registration: () => ({}),
    register: () => ({ body: { ...profile, password, password2: password } }),
    login: () => ({ body: { email: "nobody@example.com", password } }),
    update: () => ({ body: { ...profile, email: "changed@example.com" } }),
    confirm: () => ({ body: { password } }),
    changePassword: () => ({ body: { oldPassword: password, password, password2: password } }),
    checkResetLink: () => ({ body: { token: "unknown token" } }),
    resetPassword: () => ({ body: { token: "unknown token", password, password2: password } }),
    logout: () => ({}),
    deletion: () => ({}),
    deleteAccount: () => ({ body: { password } }),
    deleteAccountConfirmed: () => ({}),
  },
  sessions: {
    list: () => ({}),
    end: (ids) => ({ id: ids.sessionId, notFound: "Session not found" }),
    endOthers: () => ({}),
  },
  secondFactors: {
    signInWithCode: () => ({ body: { code: "123456" } }),
    signInWithRecoveryCode: () => ({ body: { code: "0000-0000-0000-0000" } }),
    signInWithLink: () => ({ body: { token: "unknown token" } }),
    status: () => ({}),
    beginTotp: () => ({}),
    confirmTotp: () => ({ body: { code: "123456" } }),
    removeTotp: () => ({}),
    createRecoveryCodes: () => ({}),
  },
  // The challenge is unknown.
  passkeys: {
    list: () => ({}),
    beginAdding: () => ({}),
    add: () => ({ body: { name: "new", answer: answerOf({ attestationObject: "oA" }) } }),
    rename: (ids) => ({ id: ids.passkeyId, body: { name: "renamed" }, notFound: "Passkey not found" }),
    remove: (ids) => ({ id: ids.passkeyId, notFound: "Passkey not found" }),
    beginSignIn: () => ({}),
    signIn: () => ({ body: { answer: signedAnswer } }),
    beginSecondStep: () => ({}),
    secondStep: () => ({ body: { answer: signedAnswer } }),
    beginConfirming: () => ({}),
    confirm: () => ({ body: { answer: signedAnswer } }),
  },
  identities: {
    providers: () => ({}),
    list: () => ({}),
    connect: () => ({ body: { provider: "unknown" } }),
    confirm: () => ({ body: { provider: "unknown", to: "/" } }),
    disconnect: (ids) => ({ id: ids.identityId, notFound: "Connected account not found" }),
  },
  tokens: {
    list: () => ({}),
    create: () => ({ body: { name: "new", scope: "read" } }),
    revoke: (ids) => ({ id: ids.tokenId, notFound: "Token not found" }),
  },
  collections: {
    list: () => ({}),
    get: (ids) => ({ id: ids.collectionId, notFound: collection }),
    live: (ids) => ({ id: ids.collectionId, notFound: collection }),
    create: () => ({ body: { name: "new" } }),
    duplicate: (ids) => ({ id: ids.collectionId, body: { name: "copy", what: "values" }, notFound: collection }),
    update: (ids) => ({ id: ids.collectionId, body: { name: "renamed" }, notFound: collection }),
    remove: (ids) => ({ id: ids.collectionId, notFound: collection }),
  },
  members: {
    list: (ids) => ({ id: ids.collectionId, notFound: collection }),
    add: (ids) => ({ id: ids.collectionId, body: { who: ids.newcomer, role: "editor" }, notFound: collection }),
    change: (ids) => ({ ...member(ids), body: { role: "editor" } }),
    remove: (ids) => member(ids),
    leave: (ids) => ({ id: ids.collectionId, notFound: collection }),
    transfer: (ids) => ({ id: ids.collectionId, body: { userId: ids.memberId }, notFound: collection }),
    takeOver: (ids) => ({ id: ids.collectionId, notFound: collection }),
    endTransfer: (ids) => ({ id: ids.collectionId, notFound: collection }),
    transferRequests: () => ({}),
    shareWithTeam: (ids) => ({
      id: ids.collectionId,
      body: { teamId: ids.teamId, role: "editor" },
      notFound: collection,
    }),
    changeTeam: (ids) => ({ ...addedTeam(ids), body: { role: "editor" } }),
    removeTeam: (ids) => addedTeam(ids),
  },
  names: {
    list: (ids) => ({ id: ids.collectionId, notFound: collection }),
    describe: (ids) => ({ id: ids.collectionId, body: { name: "A", isRequired: true }, notFound: collection }),
    describeMany: (ids) => ({ id: ids.collectionId, body: [{ name: "B", kind: "port" }], notFound: collection }),
    remove: (ids) => ({ id: ids.collectionId, query: "?name=OLD", notFound: collection }),
    inEnvironments: (ids) => ({ id: ids.collectionId, notFound: collection }),
    example: (ids) => ({ id: ids.collectionId, notFound: collection }),
  },
  webhooks: {
    list: (ids) => ({ id: ids.collectionId, notFound: collection }),
    create: (ids) => ({ id: ids.collectionId, body: { url: "https://hooks.example.com/new" }, notFound: collection }),
    update: (ids) => ({ ...webhook(ids), body: { description: "changed" } }),
    remove: (ids) => webhook(ids),
    rotateSecret: (ids) => ({ ...webhook(ids), body: { overlapHours: 24 } }),
    test: (ids) => webhook(ids),
    deliveries: (ids) => webhook(ids),
    redeliver: ({ collectionId, webhookId, deliveryId }) => ({
      id: collectionId,
      ids: { webhookId, deliveryId },
      notFound: collection,
    }),
  },
  teams: {
    list: () => ({}),
    create: () => ({ body: { name: "new" } }),
    get: (ids) => ({ id: ids.teamId, notFound: team }),
    rename: (ids) => ({ id: ids.teamId, body: { name: "renamed" }, notFound: team }),
    remove: (ids) => ({ id: ids.teamId, notFound: team }),
    addMember: (ids) => ({ id: ids.teamId, body: { who: ids.newcomer }, notFound: team }),
    changeMember: (ids) => ({ ...teamMember(ids), body: { isAdmin: false } }),
    removeMember: (ids) => teamMember(ids),
    leave: (ids) => ({ id: ids.teamId, notFound: team }),
  },
  invitations: {
    listOfCollection: (ids) => ({ id: ids.collectionId, notFound: collection }),
    inviteToCollection: (ids) => ({ id: ids.collectionId, body: { role: "viewer" }, notFound: collection }),
    revokeOfCollection: (ids) => ({
      id: ids.collectionId,
      ids: { invitationId: ids.invitationId },
      notFound: collection,
    }),
    listOfTeam: (ids) => ({ id: ids.teamId, notFound: team }),
    inviteToTeam: (ids) => ({ id: ids.teamId, body: {}, notFound: team }),
    revokeOfTeam: (ids) => ({ id: ids.teamId, ids: { invitationId: ids.teamInvitationId }, notFound: team }),
    listOfServer: () => ({}),
    inviteToServer: () => ({ body: {} }),
    revokeOfServer: (ids) => ({ ids: { invitationId: ids.serverInvitationId } }),
    look: (ids) => ({ body: { secret: ids.secret } }),
    accept: (ids) => ({ body: { secret: ids.secret } }),
  },
  environments: {
    get: (ids) => ({ id: ids.environmentId, notFound: environment }),
    listOfCollection: (ids) => ({ id: ids.collectionId, notFound: collection }),
    create: (ids) => ({ body: { name: "new", collectionId: ids.collectionId }, notFound: collection }),
    rename: (ids) => ({ id: ids.environmentId, body: { name: "renamed" }, notFound: environment }),
    protect: (ids) => ({ id: ids.environmentId, body: { isProtected: true }, notFound: environment }),
    rebase: (ids) => ({ id: ids.environmentId, body: { baseId: null }, notFound: environment }),
    remove: (ids) => ({ id: ids.environmentId, notFound: environment }),
    saveAll: (ids) => ({ id: ids.environmentId, body: [{ name: "A", value: "2" }], notFound: environment }),
    copy: (ids) => ({
      id: ids.environmentId,
      query: `?from=${ids.otherEnvironmentId}`,
      body: ["A"],
      notFound: environment,
    }),
  },
  items: {
    create: (ids) => ({
      body: { name: "NEW", value: "v", subCollectionId: ids.environmentId },
      notFound: environment,
    }),
    update: (ids) => ({ id: ids.itemId, body: { name: "A", value: "2" }, notFound: "Item not found" }),
    remove: (ids) => ({ id: ids.itemId, notFound: "Item not found" }),
    saveMany: (ids) => ({
      id: ids.environmentId,
      body: [{ id: ids.itemId, name: "A", value: "2" }],
      notFound: environment,
    }),
  },
  // Of the environment's revisions, the second has the item OLD.
  history: {
    list: (ids) => ({ id: ids.environmentId, notFound: environment }),
    get: (ids) => ({ id: ids.environmentId, revision: 2, notFound: environment }),
    changes: (ids) => ({ id: ids.environmentId, revision: 2, notFound: environment }),
    ofName: (ids) => ({ id: ids.environmentId, query: "?name=A", notFound: environment }),
    ofItem: (ids) => ({ id: ids.environmentId, query: "?name=A", notFound: environment }),
    restore: (ids) => ({ id: ids.environmentId, body: { revision: 2 }, notFound: environment }),
    restoreItem: (ids) => ({ id: ids.environmentId, body: { name: "OLD", revision: 2 }, notFound: environment }),
    erase: (ids) => ({ id: ids.environmentId, body: { name: "OLD", revision: 2 }, notFound: environment }),
  },
  trash: {
    listCollections: () => ({}),
    restoreCollection: (ids) => ({ id: ids.trashedCollectionId, notFound: collection }),
    purgeCollection: (ids) => ({ id: ids.trashedCollectionId, body: { name: "deleted" }, notFound: collection }),
    emptyCollections: () => ({ body: { name: "someone" } }),
    listEnvironments: (ids) => ({ id: ids.collectionId, notFound: collection }),
    restoreEnvironment: (ids) => ({ id: ids.trashedEnvironmentId, notFound: environment }),
    purgeEnvironment: (ids) => ({ id: ids.trashedEnvironmentId, body: { name: "deleted" }, notFound: environment }),
    emptyEnvironments: (ids) => ({ id: ids.collectionId, body: { name: "app" }, notFound: collection }),
  },
  apiKeys: {
    list: () => ({}),
    create: (ids) => ({ body: { name: "new", subCollectionId: ids.environmentId }, notFound: environment }),
    update: (ids) => ({ id: ids.apiKeyId, body: { note: "new" }, notFound: "API Key not found" }),
    disable: (ids) => ({ id: ids.apiKeyId, body: { isDisabled: true }, notFound: "API Key not found" }),
    roll: (ids) => ({ id: ids.apiKeyId, body: { overlapMinutes: 60 }, notFound: "API Key not found" }),
    lastUse: (ids) => ({ id: ids.apiKeyId, notFound: "API Key not found" }),
    usage: (ids) => ({ id: ids.apiKeyId, notFound: "API Key not found" }),
    leak: (ids) => ({ id: ids.apiKeyId, notFound: "API Key not found" }),
    remove: (ids) => ({ id: ids.apiKeyId, notFound: "API Key not found" }),
  },
  instances: {
    list: (ids) => ({ id: ids.environmentId, notFound: environment }),
    count: (ids) => ({ id: ids.collectionId, notFound: collection }),
  },
  find: {
    byName: () => ({ body: { text: "a" } }),
  },
  admin: {
    counters: () => ({}),
    dailyCounts: () => ({}),
    sizes: () => ({ query: "?kind=collections" }),
    listProducts: () => ({}),
    createProduct: () => ({ body: product }),
  },
  accounts: {
    list: () => ({}),
    disable: ({ ownerId }) => ({ id: ownerId }),
    enable: ({ ownerId }) => ({ id: ownerId }),
    endSessions: ({ ownerId }) => ({ id: ownerId }),
    createResetLink: ({ ownerId }) => ({ id: ownerId }),
    createFactorLink: ({ ownerId }) => ({ id: ownerId }),
    grantAdmin: ({ ownerId }) => ({ id: ownerId }),
    revokeAdmin: ({ ownerId }) => ({ id: ownerId }),
  },
  claimedTeams: {
    list: () => ({}),
    tie: ({ teamId }) => ({ id: teamId, body: { value: `ops ${teamId}` } }),
    untie: ({ teamId }) => ({ id: teamId }),
  },
  activity: {
    ofCollection: (ids) => ({ id: ids.collectionId, notFound: collection }),
    exportOfCollection: (ids) => ({ id: ids.collectionId, notFound: collection }),
    readsOfCollection: (ids) => ({ id: ids.collectionId, notFound: collection }),
    ofAccount: () => ({}),
    exportOfAccount: () => ({}),
    ofInstance: () => ({}),
    exportOfInstance: () => ({}),
  },
  // Last, because a token that logs out makes no more calls.
  cliLogins: {
    begin: () => ({ body: { machine: "laptop" } }),
    poll: () => ({ body: { deviceCode: "unknown" } }),
    look: ({ userCode }) => ({ body: { userCode } }),
    approve: ({ userCode }) => ({ body: { userCode, scope: "write" } }),
    deny: ({ userCode }) => ({ body: { userCode } }),
    token: () => ({}),
    logout: () => ({}),
  },
}

function answerOf(response: object) {
  const clientData = { challenge: "unknown", origin: "http://localhost" }
  const clientDataJSON = Buffer.from(JSON.stringify(clientData)).toString("base64url")
  return { id: "dW5rbm93bg", rawId: "dW5rbm93bg", type: "public-key", response: { clientDataJSON, ...response } }
}

function member({ collectionId, memberId }: Ids): Sample {
  return { id: collectionId, ids: { userId: memberId }, notFound: collection }
}

function webhook({ collectionId, webhookId }: Ids): Pick<Sample, "id" | "ids" | "notFound"> {
  return { id: collectionId, ids: { webhookId }, notFound: collection }
}

function addedTeam({ collectionId, addedTeamId }: Ids): Sample {
  return { id: collectionId, ids: { teamId: addedTeamId }, notFound: collection }
}

function teamMember({ teamId, memberId }: Ids): Sample {
  return { id: teamId, ids: { userId: memberId }, notFound: team }
}

export const table = Object.entries(samples).flatMap(([group, named]) =>
  Object.entries(named).map(([name, sample]) => {
    const call = (calls as Record<string, Record<string, Call>>)[group]?.[name] as Call
    return [`${call.method} ${call.path}`, call, sample] as const
  }),
)

export const unknownIds: Ids = {
  ownerId: 987_654,
  collectionId: 987_654,
  environmentId: 987_654,
  otherEnvironmentId: 987_653,
  itemId: 987_654,
  apiKeyId: 987_654,
  sessionId: 987_654,
  tokenId: 987_654,
  passkeyId: 987_654,
  identityId: 987_654,
  trashedCollectionId: 987_654,
  trashedEnvironmentId: 987_654,
  memberId: 987_654,
  newcomer: "nobody@example.com",
  teamId: 987_654,
  addedTeamId: 987_654,
  invitationId: 987_654,
  teamInvitationId: 987_654,
  serverInvitationId: 987_654,
  webhookId: 987_654,
  deliveryId: 987_654,
  secret: "an unknown secret",
  userCode: "ZZZZ-ZZZZ",
}
