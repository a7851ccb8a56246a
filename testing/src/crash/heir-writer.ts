import { isDeepStrictEqual } from "node:util"
import type { EnvironmentWithInherited, history, OutputOf } from "@envkeep/contract"
import { type Browser, readByKey, type Target } from "./clients.ts"
import type { WatchedEnvironment } from "./item-writers.ts"
import { possibleStates } from "./possible-states.ts"
import type { Writer } from "./writer.ts"

type Variables = Record<string, string>

/** An environment, and what readers of it get. */
interface State {
  id: number
  revision: number
  variables: Variables
}

/**
 * Changes what the last of some heirs sets itself, while another writer changes what all of them inherit. `chain` begins
 * with the base; each of the others inherits from the one before it.
 */
export function heirWriter(
  ann: Browser,
  target: Target,
  chain: readonly [WatchedEnvironment, ...WatchedEnvironment[]],
): Writer {
  const [base, ...heirs] = chain
  const state = possibleStates<Variables>({})
  let saves = 0
  return {
    name: "heirs",
    async step(random) {
      if (state.current() === undefined) return false
      const next = { OWN: `${++saves}`, ...(random.chance(0.5) ? { [`B${random.below(600)}`]: `${saves}` } : {}) }
      const items = Object.entries(next).map(([name, value]) => ({ name, value }))
      state.record(await ann.write("POST", `/subcollection/${heirs.at(-1)?.id}/bulk`, items), next)
      return state.current() !== undefined
    },
    async check() {
      const faults: string[] = []
      let above = await readState(target, base)
      for (const heir of heirs) {
        const found = await ann.read<EnvironmentWithInherited>(`/subcollection/${heir.id}`)
        const own = asVariables(found.collectionItems)
        const now: State = { id: heir.id, revision: found.revision, variables: { ...above.variables, ...own } }
        if (!isDeepStrictEqual(await readState(target, heir), now))
          faults.push("the key does not read what the heir should have")
        if (!isDeepStrictEqual(asVariables([...found.collectionItems, ...found.inherited]), now.variables)) {
          faults.push("the owner does not read what the heir should have")
        }
        faults.push(...(await historyFaults(ann, now, above)))
        if (found.revision < heir.revision) faults.push(`revision ${heir.revision} went back to ${found.revision}`)
        heir.revision = found.revision
        if (heir === heirs.at(-1)) faults.push(...[state.resolve(own) ?? []].flat())
        above = now
      }
      return faults
    },
  }
}

async function readState(target: Target, { id, key }: WatchedEnvironment): Promise<State> {
  const { revision, text } = await readByKey(target, key)
  return { id, revision, variables: JSON.parse(text) as Variables }
}

/** A change of the base and the new revisions of its heirs are all there, or none is. */
async function historyFaults(ann: Browser, heir: State, above: State): Promise<string[]> {
  const faults: string[] = []
  const { revisions } = await ann.read<OutputOf<typeof history.list>>(`/environments/${heir.id}/history`)
  const numbers = revisions.map(({ number }) => number)
  const expected = numbers.map((_, index) => heir.revision - index)
  if (String(numbers) !== String(expected)) faults.push(`the history of revision ${heir.revision} has ${numbers}`)
  const [newest] = revisions
  if (newest?.baseId !== above.id || newest.baseRevision !== above.revision) {
    faults.push(`the heir has revision ${newest?.baseRevision} of its base, which is at ${above.revision}`)
  }
  const whole = await ann.read<OutputOf<typeof history.get>>(`/environments/${heir.id}/history/${heir.revision}`)
  if (!isDeepStrictEqual(asVariables(whole.items), heir.variables))
    faults.push("the last revision differs from what the heir has")
  return faults
}

function asVariables(items: readonly { name: string; value: string | null }[]): Variables {
  return Object.fromEntries(items.map(({ name, value }) => [name, String(value)]))
}
