/** Runs one piece of work at a time for each key, in the order in which they come. */
export function oneAtATime<Key>(): <Result>(key: Key, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<Key, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(key, mine)
    const forget = () => {
      if (last.get(key) === mine) last.delete(key)
    }
    mine.then(forget, forget)
    return mine
  }
}
