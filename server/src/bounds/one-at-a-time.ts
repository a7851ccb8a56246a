/** Runs one piece of work at a time for each key, in the order of the calls. */
export function oneAtATime<Key>(): <Result>(key: Key, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<Key, Promise<unknown>>()
  return (key, work) => {
    const previous = last.get(key) ?? Promise.resolve()
    const current = previous.then(work, work)
    last.set(key, current)
    const cleanUp = () => {
      if (last.get(key) === current) last.delete(key)
    }
    current.then(cleanUp, cleanUp)
    return current
  }
}
