/** What must no longer be served from memory: one environment, or all environments of a collection. */
export type Invalidation = ({ environmentId: number } | { collectionId: number }) & {
  /** Readers that are refused from now on, not just shown something new: all of them, or the holder of one key. */
  ends?: true | { keyHash: string }
}

/** The PostgreSQL channel on which nodes tell each other. */
export const invalidationChannel = "envkeep_changes"
