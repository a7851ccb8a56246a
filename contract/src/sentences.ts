import { limits } from "./limits.ts"

/** The messages of refusals. Those for single fields are in the schemas. */
export const sentences = {
  invalidCredentials: "Invalid credentials",
  accountDisabled: "This account is disabled. Please ask the administrator of this server",
  resetLinkUnknown: "This link is not valid",
  resetLinkUsed: "This link has been used already",
  resetLinkExpired: "This link has expired",
  oldPasswordWrong: "Old password is incorrect",
  emailTaken: "This email is already registered",
  environmentNameTaken: "This collection already has an environment with that name",
  itemNameTaken: "This environment already has an item with that name",
  apiKeyNameTaken: "This environment already has an API key with that name",
  tooManyCollections: `An account can have at most ${count(limits.collectionsPerAccount)} collections`,
  tooManyEnvironments: `A collection can have at most ${count(limits.environmentsPerCollection)} environments`,
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
  itemNamedTwice: "Two items have the same name",
  environmentTooLarge: `An environment can hold at most ${size(limits.environmentBytes)} of values`,
  collectionTooLarge: `A collection can hold at most ${size(limits.collectionBytes)} of values`,
  quotaExceeded: (bytes: number) =>
    `Your account can store at most ${bytes / 1_000_000} MB, and this would be more. Nothing was saved; delete what you no longer need and empty the trash, or ask the operator of the server for more`,
  collectionKeyDamaged:
    "The encryption key of this collection is damaged, so its values cannot be read or changed. Please restore a backup",
  rootKeyWrong:
    "The server's root key does not match its database, so no value can be read or saved. Nothing was changed, and nothing is damaged; please tell the operator of the server",
  notFound: (what: "Collection" | "Environment" | "Item" | "API Key" | "User" | "Revision") => `${what} not found`,
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
  ourFault: "Something went wrong on our side",
} as const

/** The field that a refusal of the server is about. The refusals of the schemas name their fields themselves. */
export const refusedField: Readonly<Record<string, string>> = {
  [sentences.oldPasswordWrong]: "oldPassword",
  [sentences.emailTaken]: "email",
  [sentences.environmentNameTaken]: "name",
  [sentences.typedNameWrong]: "name",
  [sentences.itemNameTaken]: "name",
  [sentences.apiKeyNameTaken]: "name",
}

function count(things: number): string {
  return things.toLocaleString("en-US")
}

function size(bytes: number): string {
  const kibibytes = bytes / 1024
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`
}
