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
  return { holder: { keyHash, environmentId, collectionId, ownerDisabledAt: null }, rendered }
}
