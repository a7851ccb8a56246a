import type { ListedRevision } from "@envkeep/contract"
import { useEnvironmentNames } from "./queries.ts"
import { baseName, isBeginning, isInherited, whatWasDone, whoDidIt } from "./words.ts"

/** Who did what, in a few words. */
export function WhatWasDone({ revision, collectionId }: { revision: ListedRevision; collectionId: number }) {
  const names = useEnvironmentNames(collectionId)
  if (isInherited(revision)) {
    return (
      <>
        <strong>{`Inherited changes from ${baseName(revision, names)}`}</strong>, made by {whoDidIt(revision.by)}
      </>
    )
  }
  return (
    <>
      <strong>{isBeginning(revision) ? "History begins here" : whoDidIt(revision.by)}</strong>{" "}
      {whatWasDone(revision, names)}
    </>
  )
}
