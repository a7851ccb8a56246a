import { useLiveCollection } from "./use-live-collection.ts"

/** For screens that are about a collection without showing it. Shown once the collection is loaded. */
export function FollowCollection({ id, onGone }: { id: number; onGone: () => void }) {
  useLiveCollection(id, onGone)
  return null
}
