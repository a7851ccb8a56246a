/** What must no longer be served from memory: one environment, or all environments of a collection. */
export type Invalidation = ({ environmentId: number } | { collectionId: number }) & {
  /** Whose access ends, so that they are refused instead of reading again: every key, or one. */
  ends?: true | { keyHash: string }
}

/** The PostgreSQL channel on which nodes notify each other. */
export const invalidationChannel = "envkeep_changes"
