/** Every limit a user can meet, in one place: the schemas, the sentences and the documents read them from here. */
export const limits = {
  /** Collections, environments, API keys and products. In characters (code points), as all lengths here are. */
  name: 100,
  description: 1_000,
  username: 64,
  email: 254,
  passwordMin: 8,
  passwordMax: 256,
  itemName: 256,
  /** In bytes of UTF-8: what the store and every consumer of a value pay for. */
  itemValueBytes: 64 * 1024,
  itemsPerEnvironment: 10_000,
  /** What can be sent in one bulk save. */
  environmentBytes: 16 * 1024 * 1024,
  /** What can be shown as one: a collection is read whole. */
  collectionBytes: 64 * 1024 * 1024,
  bodyBytes: 1024 * 1024,
  bulkBodyBytes: 16 * 1024 * 1024,
} as const
