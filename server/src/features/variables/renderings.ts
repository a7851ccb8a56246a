import { limits, sentences, type VariableFormat } from "@envkeep/contract"
import type { KeyEnvironment } from "../../access/key-holder.ts"
import { Shares } from "../../bounds/shares.ts"
import { nextTurn } from "../../bounds/turns.ts"
import type { Core } from "../../core/core.ts"
import { AppError } from "../../errors.ts"
import { hasErased, pastState } from "../environments/history/past.ts"
import { inheritedBytesOf } from "../environments/inheritance/rules.ts"
import { etagOf } from "./etag.ts"
import { type PastRead, reachedBy, refuseIfOutOfSight, render, renderPast } from "./render.ts"
import type { ReadCondition, Refused, Rendered, RenderedVariables } from "./rendered.ts"
import type { UnsentBodies } from "./unsent.ts"

/** Renders each state of an environment once for all readers that wait for it. */
export interface Renderings {
  /** The revision in which the caller found the environment, or a later one. */
  render(environment: KeyEnvironment, format: VariableFormat): Promise<RenderedVariables | Refused>
  /** The environment as it was at a revision; without a body for a reader that has it. */
  renderPast(environment: KeyEnvironment, wanted: PastRead & { condition: ReadCondition }): Promise<Rendered | Refused>
}

interface Progress {
  /** The result has this revision or a later one. */
  revision: number
  /** It has not read anything yet, so its result will have the revision that is current then. */
  isWaiting: boolean
}

/** Takes so little time and memory that it need not wait for its turn. */
const smallBytes = 64 * 1024
/** One of the largest environments is rendered at a time, or several smaller ones. Collections take turns. */
const renderingBounds = { total: limits.environmentBytes, perCaller: limits.environmentBytes, waitingPerCaller: 200 }
/**
 * Each rendering, also of a past revision, holds a connection to the database. There are so few that one owner cannot take
 * all of them, however many environments are read at once. Small ones need not wait for large ones.
 */
const smallBounds = { total: 3, perCaller: 2, waitingPerCaller: 1_000 }
const largeBounds = { total: 2, perCaller: 1, waitingPerCaller: 1_000 }
/** Within an owner's, collections take turns too. */
const collectionBounds = { total: Number.POSITIVE_INFINITY, perCaller: 2, waitingPerCaller: 1_000 }

export function createRenderings(core: Core, unsent: UnsentBodies): Renderings {
  const running = new Map<string, { progress: Progress; promise: Promise<RenderedVariables | Refused> }>()
  const runningPast = new Map<string, Promise<RenderedVariables | Refused>>()
  const bytesAtOnce = new Shares(renderingBounds)
  const small = { ofCollections: new Shares(collectionBounds), ofOwners: new Shares(smallBounds) }
  const large = { ofCollections: new Shares(collectionBounds), ofOwners: new Shares(largeBounds) }

  return {
    render(environment, format) {
      const { holder, revision } = environment
      const beingSent = unsent.find(etagOf(holder.environmentId, revision, format))
      if (beingSent !== undefined) return Promise.resolve(beingSent)
      const id = `${holder.environmentId} ${format}`
      const other = running.get(id)
      if (other?.progress.isWaiting || (other && other.progress.revision >= revision)) return other.promise
      const progress: Progress = { revision, isWaiting: true }
      const promise = start(environment, format, progress).finally(() => {
        if (running.get(id)?.progress === progress) running.delete(id)
      })
      running.set(id, { progress, promise })
      return promise
    },
    async renderPast(environment, { condition, ...past }) {
      const { revision, format, lookUp } = past
      const { environmentId, collectionId } = environment.holder
      const etag = etagOf(environmentId, revision, format)
      const { maxBytes, isErased } = await lookUp(() => lookAtPast(core, environment, revision))
      if (isErased) throw new AppError("gone", sentences.revisionErased)
      // A reader that names the ETag has the body. `*` does not say that the format can hold it.
      if (condition.ifNoneMatch?.includes(etag)) {
        return { environmentId, collectionId, revision, format, etag, bodyBytes: 0, damaged: "" }
      }
      const beingSent = unsent.find(etag)
      if (beingSent !== undefined) return beingSent
      const rendering =
        runningPast.get(etag) ??
        withRoom(environment, maxBytes, () => renderPast(core, environment, past)).finally(() =>
          runningPast.delete(etag),
        )
      runningPast.set(etag, rendering)
      return rendering
    },
  }

  /** Begins when there is a connection, and room for this many bytes, and readers do not leave too much unread. */
  function withRoom<Result>({ holder }: KeyEnvironment, bytes: number, begin: () => Promise<Result>): Promise<Result> {
    const isSmall = bytes <= smallBytes
    unsent.refuseIfFull(holder, isSmall)
    const { ofCollections, ofOwners } = isSmall ? small : large
    const collection = `collection ${holder.collectionId}`
    const beginLarge = () => bytesAtOnce.use(collection, () => nextTurn().then(begin), bytes)
    return ofCollections.use(collection, () => ofOwners.use(`owner ${holder.ownerId}`, isSmall ? begin : beginLarge))
  }

  async function start(
    environment: KeyEnvironment,
    format: VariableFormat,
    progress: Progress,
  ): Promise<RenderedVariables | Refused> {
    const { holder, baseId, sealedBytes } = environment
    const inheritedBytes = baseId === null ? 0 : await inheritedBytesOf(core.db, holder.environmentId)
    return withRoom(environment, sealedBytes + inheritedBytes, () => {
      progress.isWaiting = false
      return render(core, environment, format)
    })
  }
}

async function lookAtPast({ db }: Core, environment: KeyEnvironment, revision: number) {
  const past = await pastState(db, reachedBy(environment), revision)
  refuseIfOutOfSight(past)
  const maxBytes = past.layers.reduce((sum, layer) => sum + layer.maxBytes, 0)
  return { maxBytes, isErased: await hasErased(db, past.layers) }
}
