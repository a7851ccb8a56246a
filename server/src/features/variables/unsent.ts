import type { ServerResponse } from "node:http"
import { sentences } from "@envkeep/contract"
import type { KeyHolder } from "../../access/key-holder.ts"
import { BoundError } from "../../bounds/bound-error.ts"
import { maxStringBytes, type RenderedHead, type RenderedVariables } from "./rendered.ts"

/** The large bodies that readers have not received yet. They stay in memory even when the cache has dropped them. */
export interface UnsentBodies {
  /** A body that is being sent is not rendered a second time. */
  find(etag: string): RenderedVariables | undefined
  /** Asked before a body is rendered: readers that do not read must not fill the memory with more and more of them. */
  refuseIfFull(holder: KeyHolder, isSmall: boolean): void
  /** Counts the body until the response is sent or its reader is gone. */
  hold(rendered: RenderedHead | RenderedVariables, response: ServerResponse): void
  bytes(): number
}

interface UnsentBody {
  rendered: RenderedVariables
  readers: number
}

export const maxUnsentBytes = 128 * 1024 * 1024
/** No collection can use up the room of the others. */
const maxCollectionBytes = maxUnsentBytes / 4
const retryAfterSeconds = 5

export function createUnsentBodies(): UnsentBodies {
  const bodies = new Map<string, UnsentBody>()
  const bytesOf = new Map<number, number>()
  let totalBytes = 0

  return {
    find: (etag) => bodies.get(etag)?.rendered,
    refuseIfFull({ collectionId }, isSmall) {
      const hasRoom = (bytesOf.get(collectionId) ?? 0) < maxCollectionBytes
      // What is small is served for as long as its own collection leaves nothing unread.
      if (hasRoom && (isSmall || totalBytes < maxUnsentBytes)) return
      throw new BoundError("unread_bytes", "unavailable", sentences.tooMuchUnread, retryAfterSeconds)
    },
    hold(rendered, response) {
      if (!("body" in rendered) || rendered.bodyBytes <= maxStringBytes || response.closed) return
      const unsent = bodies.get(rendered.etag) ?? { rendered, readers: 0 }
      if (unsent.readers++ === 0) {
        bodies.set(rendered.etag, unsent)
        count(rendered, rendered.bodyBytes)
      }
      response.once("close", () => {
        if (--unsent.readers > 0) return
        bodies.delete(rendered.etag)
        count(unsent.rendered, -unsent.rendered.bodyBytes)
      })
    },
    bytes: () => totalBytes,
  }

  function count({ collectionId }: RenderedHead, bytes: number): void {
    totalBytes += bytes
    const ofCollection = (bytesOf.get(collectionId) ?? 0) + bytes
    if (ofCollection === 0) bytesOf.delete(collectionId)
    else bytesOf.set(collectionId, ofCollection)
  }
}
