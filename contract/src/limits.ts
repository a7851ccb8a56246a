/** Every limit that a user can reach. The schemas, the sentences and the documents use these. */
export const limits = {
  /** Of collections, environments, API keys and products. Lengths are in characters (code points). */
  name: 100,
  description: 1_000,
  username: 64,
  email: 254,
  passwordMin: 8,
  passwordMax: 256,
  itemName: 256,
  /** In UTF-8, because that is what the store and every reader of a value pay for. */
  itemValueBytes: 64 * 1024,
  itemsPerEnvironment: 10_000,
  /** The most that one bulk save can send. */
  environmentBytes: 16 * 1024 * 1024,
  /** A collection is read as a whole, so its size is limited too. */
  collectionBytes: 64 * 1024 * 1024,
  bodyBytes: 1024 * 1024,
  bulkBodyBytes: 16 * 1024 * 1024,
} as const
