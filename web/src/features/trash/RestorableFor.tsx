import { useTrashedEnvironments } from "./queries.ts"
import { restorableFor } from "./time-left.ts"

/** For the question before something of a collection, or the collection itself, is deleted. */
export function RestorableFor({ collectionId }: { collectionId: number }) {
  return restorableFor(useTrashedEnvironments(collectionId).data?.keptDays)
}
