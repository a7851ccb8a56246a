/** Every limit that a user can run into. The schemas, the sentences and the documents read them from here. */
export const limits = {
  /** Of collections, environments, API keys and products. Lengths are in characters (code points) unless named otherwise. */
  name: 100,
  description: 1_000,
  username: 64,
  email: 254,
  passwordMin: 8,
  passwordMax: 256,
  itemName: 256,
  /** In bytes of UTF-8, which is what the store and every reader of a value pay for. */
  itemValueBytes: 64 * 1024,
  itemsPerEnvironment: 10_000,
  /** One bulk save must be able to carry a whole environment. */
  environmentBytes: 16 * 1024 * 1024,
  /** A collection is read as a whole. */
  collectionBytes: 64 * 1024 * 1024,
  bodyBytes: 1024 * 1024,
  bulkBodyBytes: 16 * 1024 * 1024,
} as const
