/** Runs one piece of work at a time for each `who`, in the order in which they come. */
export function takingTurns<Who>(): <Result>(who: Who, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<Who, Promise<unknown>>()
  return (who, work) => {
    const before = last.get(who) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(who, mine)
    const forget = () => {
      if (last.get(who) === mine) last.delete(who)
    }
    mine.then(forget, forget)
    return mine
  }
}
