import { ourFault, secondFactorRequired } from "./first-calls.ts"
import { limits } from "./limits.ts"

/** The messages of refusals. Those for single fields are in the schemas. */
export const sentences = {
  invalidCredentials: "Invalid credentials",
  secondFactorNeeded: "Please confirm the login with your second factor",
  signInExpired: "This login has expired. Please start again",
  totpCodeWrong: "This code is not valid. Codes change every 30 seconds, and each works once",
  recoveryCodeWrong: "This recovery code is not valid. Each works once",
  totpDamaged:
    "Your authenticator app cannot be checked right now. Please use a recovery code, or ask an administrator",
  totpNotBegun: "Please begin with the QR code or the secret",
  totpAlreadyOn: "An authenticator app is switched on already. Switch it off first",
  totpNotOn: "No authenticator app is switched on",
  noSecondFactor: "There is no second factor",
  secondFactorRequired,
  confirmFirst: "Please confirm that it is you",
  accountDisabled: "This account is disabled. Please ask the administrator of this server",
  resetLinkUnknown: "This link is not valid",
  resetLinkUsed: "This link has been used already",
  resetLinkExpired: "This link has expired",
  lastAdministrator: "This is the last administrator. Make another account one first",
  ownAccount: "You cannot disable your own account",
  oldPasswordWrong: "Old password is incorrect",
  passwordWrong: "Password is incorrect",
  passwordNeeded: "Your account has a password. Please enter it",
  confirmWithPassword: "Your account has a password. Please confirm with it or with a passkey",
  passwordCommon:
    "This password is too easy to guess. Please choose one that is not common, and not your username or email",
  ownsCollections:
    "Your account still pays for collections. Please delete them, or let another member take them over first",
  deletionBegun:
    "Your account could not be deleted completely right now: its trash is empty, and it may have left collections of others. Please try again",
  emailTaken: "This email is already registered",
  environmentNameTaken: "This collection already has an environment with that name",
  itemNameTaken: "This environment already has an item with that name",
  apiKeyNameTaken: "This environment already has an API key with that name",
  tooManyCollections: `An account can have at most ${count(limits.collectionsPerAccount)} collections`,
  tooManyTrashedCollections: `An account can have at most ${count(limits.trashedCollectionsPerAccount)} collections in its trash, including those that are still being deleted forever. Please empty the trash, or try again later`,
  tooManyEnvironments: `A collection can have at most ${count(limits.environmentsPerCollection)} environments`,
  tooManyTrashedEnvironments: `A collection can have at most ${count(limits.trashedEnvironmentsPerCollection)} environments in its trash, including those that are still being deleted forever. Please empty its trash, or try again later`,
  expiryInPast: "The expiry must be in the future",
  alreadyRolled: "This key was rolled already: roll the key that replaced it",
  tooManyApiKeys: `An environment can have at most ${count(limits.apiKeysPerEnvironment)} API keys`,
  environmentFull: `An environment can hold at most ${count(limits.itemsPerEnvironment)} items`,
  tooManyItemsAtOnce: `At most ${count(limits.itemsPerSave)} items can be saved together. Please import longer lists`,
  changedSince: "The environment has changed since. Nothing was restored; check its history first",
  revisionPruned: "This revision is no longer kept",
  revisionErased: "A value of this revision was erased, so the revision can no longer be read",
  valueErased: "A value of this revision was erased and cannot be restored",
  valueDamaged: "A value of this revision is damaged and cannot be restored",
  nameNotInRevision: "The item did not exist in this revision",
  currentValue: "This is the current value. Change or delete it first",
  inheritsFromItself: "An environment cannot inherit from itself, directly or through others",
  tooManyLevels: `An environment can have at most ${limits.inheritanceLevels} bases above it: its own, the base of that one, and so on`,
  tooManyHeirs: `At most ${count(limits.heirsPerEnvironment)} environments can inherit from one`,
  baseProtected: "The base is protected. Protect this environment first, so that its values stay protected",
  heirsNotProtected: (heirs: number) =>
    `${inheriting(heirs)} from this one without being protected. Protect ${heirs === 1 ? "it" : "them"} too`,
  inheritsFromProtected: "This environment inherits from a protected one, so it must stay protected",
  hasHeirs: (heirs: number) =>
    `${inheriting(heirs)} from this one. Nothing was deleted; choose whether to copy its values down first`,
  valueToCopyDamaged:
    "A value that would be copied down is damaged. Nothing was deleted; set it again or delete it first",
  rebasedMeanwhile:
    "The environment got another base after you loaded it. Nothing was saved; check its base and try again",
  inheritedPruned: "What this revision inherited is no longer kept, so the revision can no longer be read",
  inheritedProtected: "What this revision inherited is protected, so the revision can no longer be read with this key",
  copiedIntoItself: "An environment cannot be copied into itself",
  tooManyNamesToCopy: `At most ${count(limits.itemsPerEnvironment)} names can be copied at once`,
  nameNotInSource: "The source has no item with one of these names. Nothing was copied",
  sourceChangedMeanwhile:
    "The source has changed since you loaded it. Nothing was copied; check the values and try again",
  itemNamedTwice: "Two items have the same name",
  environmentTooLarge: `An environment can hold at most ${size(limits.environmentBytes)} of values`,
  collectionTooLarge: `A collection can hold at most ${size(limits.collectionBytes)} of values`,
  quotaExceeded: (bytes: number) =>
    `Your account can store at most ${bytes / 1_000_000} MB, with history and trash, and this would be more. Nothing was saved; delete what you no longer need and empty the trash, or ask the operator of the server for more`,
  ownersQuotaExceeded:
    "The owner of this collection can store no more. Nothing was saved; delete what is no longer needed, or ask the owner for more space",
  collectionKeyDamaged:
    "The encryption key of this collection is damaged, so its values cannot be read or changed. Please restore a backup",
  rootKeyWrong:
    "The server's root key does not match its database, so no value can be read or saved. Nothing was changed, and nothing is damaged; please tell the operator of the server",
  notFound: (
    what:
      | "Collection"
      | "Environment"
      | "Item"
      | "API Key"
      | "User"
      | "Revision"
      | "Member"
      | "Team"
      | "Invitation"
      | "Session"
      | "Token"
      | "Passkey"
      | "Description"
      | "Webhook"
      | "Delivery"
      | "Connected account",
  ) => `${what} not found`,
  tooManyWebhooks: `A collection can have at most ${count(limits.webhooksPerCollection)} webhooks`,
  tooManyWebhooksOfAccount: `The collections of an account can have at most ${count(limits.webhooksPerAccount)} webhooks together`,
  tooManyWebhookEnvironments: `A webhook can be limited to at most ${count(limits.environmentsPerWebhook)} environments`,
  webhookAddressRefused:
    "This server does not send webhooks to private, loopback or otherwise special addresses. Its operator can allow them",
  webhookDisabled: "This webhook is disabled. Enable it first",
  webhookQueueFull: `${count(limits.pendingDeliveries)} messages already wait for this webhook. Please try one of them now instead`,
  describedTwice: "Two descriptions are about the same name",
  tooManyNamesAtOnce: `At most ${count(limits.namesPerSave)} names can be described together`,
  tooManyDescribedNames: `A collection can have at most ${count(limits.describedNames)} described names`,
  descriptionsTooLarge: `The descriptions of a collection can take at most ${size(limits.describedBytes)}`,
  tooManyChoices: `A name can have at most ${count(limits.choicesPerName)} choices`,
  choicesMissing: "Please list what can be chosen",
  typedNameWrong: "This is not the name. Nothing was deleted",
  goneMeanwhile: "This has been deleted",
  changedMeanwhile: "The environment has changed since you loaded it. Nothing was saved; check it and try again",
  itemChangedMeanwhile:
    "This item has changed since you loaded it. Nothing was saved; compare both values and try again",
  itemsChangedMeanwhile:
    "Some of these items have changed since you loaded them. Nothing was saved; compare the values and try again",
  deletedItemChangedMeanwhile: "This item has changed since you loaded it. It was not deleted; check it and try again",
  renamedMeanwhile: "The environment was renamed after you loaded it. Nothing was saved; check its name and try again",
  signInFirst: "Please log in first",
  roleTooWeak: "Your role in this collection does not allow this",
  userUnknown: "There is no account with this username or email",
  usernameNotUnique: "Several accounts have this username. Please use the email",
  alreadyMember: "This user is already a member",
  ownersOnly: "Only owners can give, change or take away the role of an owner",
  lastOwner: "A collection must have an owner. Make another member an owner first",
  payerStays:
    "The owner who pays for a collection stays until another member has taken it over. Ask one to, or delete the collection",
  paysAlready: "This member pays for the collection already",
  transferToYourself: "You cannot ask yourself. An owner takes a collection over without a request",
  notAskedToPay: "No owner asks you to take this collection over",
  memberDisabled: "This account is disabled",
  roleFromTeam: "Your role comes from a team. Leave the team, or ask for the team to be removed",
  noRoomForCollection:
    "Your account has no room for this collection. Nothing was changed; delete what you no longer need and empty the trash, or ask the operator of the server for more",
  tooManyMembers: `A collection can have at most ${count(limits.membersPerCollection)} members`,
  teamAlreadyAdded: "This team has been added already",
  tooManyTeamsInCollection: `A collection can be shared with at most ${count(limits.teamsPerCollection)} teams`,
  tooManyCollectionsOfTeam: `A team can be in at most ${count(limits.collectionsPerTeam)} collections`,
  teamAdminsOnly: "Only admins of the team may do this",
  lastTeamAdmin: "A team must have an admin. Make another member an admin first",
  tooManyTeamMembers: `A team can have at most ${count(limits.membersPerTeam)} members`,
  claimValueTaken: "This value fills another team already. Untie that team first",
  tooManyTeams: `A user can be in at most ${count(limits.teamsPerUser)} teams`,
  tooManyInvitations: `There can be at most ${count(limits.openInvitations)} open invitations. Please revoke some first`,
  invitationUnknown: "This invitation is not valid",
  invitationUsed: "This invitation has been used already",
  invitationRevoked: "This invitation has been revoked",
  invitationPaused: "This invitation cannot be used right now. Please ask for another one",
  invitationExpired: "This invitation has expired",
  registrationClosed: "New accounts cannot be made on this server",
  registrationInvited: "You need an invitation to make an account on this server",
  badToken: "This token is not valid",
  notWithToken: "This cannot be done with a token. Please log in",
  scopeTooSmall: (needed: string) => `This token may not do this. It needs the scope ${needed}`,
  tokenLimited: "This token is limited to some collections, so it cannot do this",
  tokenNameTaken: "You already have a token with that name",
  tooManyTokens: `An account can have at most ${count(limits.tokensPerAccount)} tokens`,
  notAToken: "This call was not made with a token",
  tooManyPasskeys: `An account can have at most ${count(limits.passkeysPerAccount)} passkeys`,
  passkeyTaken: "This passkey is registered already",
  passkeysNeedHostName:
    "Passkeys need a host name. Open this server by its name, or as localhost, and not by an IP address",
  passkeyExpired: "This took longer than 5 minutes, or was sent twice. Please try again",
  passkeyOtherAddress: (address: string) =>
    `This passkey answered for another address. Passkeys of this server work at ${address}`,
  passkeyNotVerified:
    "This passkey did not check that it is you. Use one that asks for a PIN, a fingerprint or your face",
  passkeyRefused: "This passkey is not valid here. It may have been removed; please log in another way",
  passkeyCopied:
    "This passkey was refused, because it may have been copied. Log in another way, remove it and add a new one",
  noPasskeyHere: "You have no passkey for this address",
  tooManyPasskeySignIns: "Too many sign-ins with a passkey have begun. Please try again in a few minutes",
  notNext: "After must be the next of an earlier answer",
  cliCodeUnknown: "There is no login with this code. It may have expired: start again in your terminal",
  tooManyCliLogins: "Too many logins are waiting to be confirmed. Please try again in a few minutes",
  providerUnknown: "This server has no such sign-in provider",
  lastWayToSignIn: (end: "disconnect" | "remove") =>
    `This is the only way to sign in to your account. Add another way or set a password with a reset link first, then ${end} it`,
  adminsOnly: "Only administrators may do this",
  badApiKey: "This API key is not valid",
  otherOrigin: "This request came from another site and was refused",
  tooManyAttempts: (minutes: number) =>
    `Too many attempts. Please try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}`,
  tooManyRequests: "Too many requests. Please slow down and try again in a minute",
  tooManyAtOnce: "Too many requests at the same time. Please wait for the answers, then try again",
  tooMuchUnread: "Too many large answers are waiting to be read. Please read them, and try again in a few seconds",
  tooManyWatchers: "Too many clients are watching. Please close some, and try again later",
  noSuchPath: "There is nothing at this address",
  badAddress: "The address is not valid",
  badRequest: "The request could not be understood",
  requestTooSlow: "The request did not arrive in time",
  brokenJson: "The body is not valid JSON",
  brokenUtf8: "The body is not valid UTF-8",
  jsonOnly: "The body must be sent as application/json",
  uncompressedOnly: "The body must be sent uncompressed",
  bodyTooLarge: (bytes: number) => `The body can be at most ${size(bytes)}`,
  bodyElementTooLarge: `One element of the body can be at most ${size(limits.itemBodyBytes)}`,
  bodyTooDeep: `Lists and objects in the body can be at most ${limits.bodyDepth} levels deep`,
  bodyTooManyParts: "The body has too many elements or fields",
  listTooLong: `A list can have at most ${count(limits.bulkLines)} lines`,
  databaseAway: "The database cannot be reached right now. Nothing was changed; please try again",
  outcomeUnknown:
    "The connection to the database was lost while saving. Check whether it was saved before you try again",
  tooBusy: "Other changes to the same data are in progress. Nothing was changed; please try again",
  diskFull: "The server cannot write to its disk. Nothing was changed",
  diskUnreadable: "The server cannot read from its disk. Nothing was changed",
  savedUnknown: "The server's disk failed while saving. Check whether it was saved before you try again",
  ourFault,
} as const

/** The field that a refusal of the server is about. The refusals of the schemas name their fields themselves. */
export const refusedField: Readonly<Record<string, string>> = {
  [sentences.oldPasswordWrong]: "oldPassword",
  [sentences.passwordWrong]: "password",
  [sentences.passwordCommon]: "password",
  [sentences.emailTaken]: "email",
  [sentences.userUnknown]: "who",
  [sentences.usernameNotUnique]: "who",
  [sentences.alreadyMember]: "who",
  [sentences.environmentNameTaken]: "name",
  [sentences.typedNameWrong]: "name",
  [sentences.itemNameTaken]: "name",
  [sentences.apiKeyNameTaken]: "name",
  [sentences.tokenNameTaken]: "name",
  [sentences.claimValueTaken]: "value",
  [sentences.expiryInPast]: "expiresAt",
  [sentences.choicesMissing]: "choices",
  [sentences.webhookAddressRefused]: "url",
  [sentences.cliCodeUnknown]: "userCode",
  [sentences.totpCodeWrong]: "code",
  [sentences.recoveryCodeWrong]: "code",
}

function inheriting(heirs: number): string {
  return heirs === 1 ? "1 environment inherits" : `${count(heirs)} environments inherit`
}

function count(things: number): string {
  return things.toLocaleString("en-US")
}

function size(bytes: number): string {
  const kibibytes = bytes / 1024
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`
}
