import { limits, type VariableFormat } from "@envkeep/contract"
import { LRUCache } from "lru-cache"
import type { KeyEnvironment } from "../../access/key-holder.ts"
import { createShares } from "../../bounds/shares.ts"
import { nextTurn } from "../../bounds/turns.ts"
import type { Core } from "../../db/core.ts"
import { AppError } from "../../errors.ts"
import { etagOf, type FormatRefusal, render } from "./render.ts"
import type { RenderedHead, RenderedVariables } from "./rendered.ts"
import type { UnsentBodies } from "./unsent.ts"

/** Renders each state of an environment once for all readers that wait for it, and remembers what came out. */
export interface Renderings {
  /** What is known about the current revision without rendering it. Throws if the format is known not to hold it. */
  known(environment: KeyEnvironment, format: VariableFormat): RenderedHead | undefined
  /** The revision in which the caller found the environment, or a later one. */
  render(environment: KeyEnvironment, format: VariableFormat): Promise<RenderedVariables>
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
const knownBytes = 4 * 1024 * 1024
/** What an entry costs besides its text. */
const entryBytes = 400

export function createRenderings(core: Core, unsent: UnsentBodies): Renderings {
  const running = new Map<string, { progress: Progress; promise: Promise<RenderedVariables> }>()
  const known = new LRUCache<string, RenderedHead | FormatRefusal>({
    maxSize: knownBytes,
    sizeCalculation: (one) => entryBytes + ("sentence" in one ? one.sentence : one.damaged).length,
  })
  const shares = createShares(renderingBounds)

  return {
    known({ holder: { environmentId }, revision }, format) {
      const found = known.get(`${environmentId} ${format}`)
      if (found?.revision !== revision) return undefined
      return "sentence" in found ? refuse(found) : found
    },
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
  }

  async function start(
    environment: KeyEnvironment,
    format: VariableFormat,
    progress: Progress,
  ): Promise<RenderedVariables> {
    const { holder, sealedBytes } = environment
    const isSmall = sealedBytes <= smallBytes
    unsent.refuseIfFull(holder, isSmall)
    if (isSmall) return remember(await begin())
    const giveBack = await shares.take(`collection ${holder.collectionId}`, sealedBytes)
    try {
      await nextTurn()
      return remember(await begin())
    } finally {
      giveBack()
    }

    function begin(): Promise<RenderedVariables | FormatRefusal> {
      progress.isWaiting = false
      return render(core, environment, format)
    }

    function remember(result: RenderedVariables | FormatRefusal): RenderedVariables {
      const id = `${holder.environmentId} ${format}`
      if ("sentence" in result) {
        known.set(id, result)
        return refuse(result)
      }
      const { body: _, ...head } = result
      known.set(id, head)
      return result
    }
  }
}

function refuse({ sentence }: FormatRefusal): never {
  throw new AppError("unprocessable", sentence)
}
