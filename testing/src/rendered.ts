import type { KeyCaller } from "@envkeep/server/access/caller.ts"
import type { Loaded, RenderedVariables } from "@envkeep/server/features/variables/rendered.ts"

/** What memory would hold of an environment; only its ids, its revision and its size matter. */
export function rendered(environmentId: number, revision = 1, size = 10): RenderedVariables {
  return {
    environmentId,
    collectionId: environmentId * 10,
    revision,
    format: "json",
    etag: `"${environmentId}-${revision}-json"`,
    bodyBytes: size,
    body: Buffer.alloc(size),
    damaged: "",
  }
}

/** The same as it comes from a load for one key. */
export function loaded(keyHash: string, rendered: RenderedVariables): Loaded & { rendered: RenderedVariables } {
  const { environmentId, collectionId } = rendered
  const unlimited = { ownerDisabledAt: null, disabledAt: null, expiresAt: null, allowed: undefined }
  return { holder: { keyHash, keyId: 1, ownerId: 1, environmentId, collectionId, ...unlimited }, rendered }
}

/** Who uses a key, with what is needed to check it. */
export function callerOf(keyHash: string, ip = "192.0.2.1"): KeyCaller {
  return { kind: "key", keyHash, address: ip, ip, lastComparison: undefined, client: "", reads: 0, instance: undefined }
}
