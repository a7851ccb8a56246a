/** Gives the promise's result, or what `late` returns or throws if that takes longer. The promise itself runs on. */
export function withDeadline<Result, Late>(
  promise: Promise<Result>,
  timeoutMs: number,
  late: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>((resolve) => {
    // When this process was too busy to read its sockets, the timer fires first. Two turns of the event loop let an
    // answer count that has already arrived.
    timer = setTimeout(() => setImmediate(() => setImmediate(resolve)), timeoutMs).unref()
  }).then(late)
  return Promise.race([promise, deadline]).finally(() => clearTimeout(timer))
}

/**
 * Gives the promise's result, or rejects with the signal's reason. Not `Promise.race`, which would keep memory for each
 * race until the signal's owner is gone: for a connection that is pinged all the time, that can take weeks.
 */
export function unlessAborted<Result>(signal: AbortSignal, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}
