import { limits } from "@envkeep/contract"

/** What a version takes of the quota once it is replaced or deleted. Each revision takes as much as its note. */
export function supersededVersionBytes(nameBytes: number, sealedBytes: number): number {
  return limits.versionBytes + limits.versionNames * nameBytes + sealedBytes
}
