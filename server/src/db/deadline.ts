/** What the promise gives, or what `late` gives if that takes longer. The promise itself goes on. */
export function withDeadline<Result, Late>(
  promise: Promise<Result>,
  ms: number,
  late: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  }).then(late)
  return Promise.race([promise, deadline]).finally(() => clearTimeout(timer))
}
