import type { Call, Conflict, InputOf, OutputOf } from "@envkeep/contract"
import { useMutation } from "@tanstack/react-query"
import { ApiError, answer } from "./api.ts"
import { notify, type Undo } from "./notify.ts"

interface WriteOptions {
  /** Reloads what the write changed. The write finishes after it. */
  reload?: () => unknown
  /** Shown for a failure without a message. */
  fallback?: string
  /** Only the server validates the input. */
  unchecked?: boolean
  /** Success needs no message, because it shows. */
  quiet?: boolean
}

/** What one write does beside what all writes of its hook do. */
export interface OneWrite<Data> {
  /** Called before the reload. */
  onStored?: ((data: Data) => void) | undefined
  /** Said instead of the server's message. */
  success?: string | undefined
  /** What takes the write back. Undefined if it changed nothing. */
  undo?: ((data: Data) => Undo | undefined) | undefined
}

/** Gets the sentence with which a write was refused, what it was in conflict with, if that is why, and all about it. */
export type OnRefused = (sentence: string, conflicts: Conflict[], error: ApiError) => void

/** What a notification is about: the next success of the same call removes the errors of this one. */
export function topicOf({ method, path }: Call): string {
  return `${method} ${path}`
}

/**
 * Returns a function that makes a writing call and shows the user its result. It resolves to an object with the data, or
 * to undefined if the call failed. The error is then already on the screen, so callers only keep or clear their input.
 */
export function useWrite<C extends Call>(
  call: C,
  { reload, fallback, unchecked = false, quiet = false }: WriteOptions = {},
): (
  input: InputOf<C>,
  onRefused?: OnRefused,
  one?: OneWrite<OutputOf<C>>,
) => Promise<{ data: OutputOf<C> } | undefined> {
  const { mutateAsync } = useMutation({
    mutationFn: async ({ input, one }: { input: InputOf<C>; one: OneWrite<OutputOf<C>> }) => {
      const done = await answer(call, input, { unchecked })
      one.onStored?.(done.data)
      return done
    },
    onSuccess: async ({ msg, data }, { one: { success = msg, undo } }) => {
      if (quiet) notify.settled(topicOf(call))
      else notify.success(success, topicOf(call), undo?.(data))
      // A failed reload does not make the write fail: the query cache reports it separately.
      await Promise.resolve(reload?.()).catch(ignoreApiError)
    },
    // It was deleted or changed in another tab or by a colleague, or the user's role is another one now: show that.
    onError: (error) =>
      error instanceof ApiError && (error.status === 403 || error.status === 404 || error.conflicts !== undefined)
        ? reload?.()
        : undefined,
    meta: { fallback, topic: topicOf(call) },
  })
  return (input, onRefused, one = {}) =>
    mutateAsync({ input, one }).catch((error: unknown) => {
      ignoreApiError(error)
      onRefused?.(error.message, error.conflicts ?? [], error)
      return undefined
    })
}

/** An ApiError is already on the screen. Anything else is a bug. */
function ignoreApiError(error: unknown): asserts error is ApiError {
  if (!(error instanceof ApiError)) throw error
}
