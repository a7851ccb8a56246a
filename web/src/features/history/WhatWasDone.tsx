import type { Revision } from "@envkeep/contract"
import { isBeginning, whatWasDone, whoDidIt } from "./words.ts"

/** Who did what, in a few words. */
export function WhatWasDone({ revision }: { revision: Revision }) {
  return (
    <>
      <strong>{isBeginning(revision) ? "History begins here" : whoDidIt(revision.by)}</strong> {whatWasDone(revision)}
    </>
  )
}
