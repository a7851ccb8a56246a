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
  environmentsPerCollection: 1_000,
  apiKeysPerEnvironment: 1_000,
  itemsPerEnvironment: 10_000,
  environmentBytes: 4 * 1024 * 1024,
  /** A collection is read as a whole. */
  collectionBytes: 16 * 1024 * 1024,
  /** What each collection, environment, item and API key takes of an account's quota, beside its sealed value. */
  rowBytes: 512,
  /** What each value that was replaced or deleted takes of it, beside its sealed value. */
  versionBytes: 128,
  /** Of all replaced and deleted values of an environment. The oldest go first. */
  historyBytes: 32 * 1024 * 1024,
  /** An environment's last revisions are kept however old they are, if there is room. */
  keptRevisions: 100,
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
  /** More than an environment holds, because blank lines and repeated names are dropped. */
  bulkLines: 20_000,
} as const
