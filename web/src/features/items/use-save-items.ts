import { type About, type Environment, type Item, items } from "@envkeep/contract"
import { useQueryClient } from "@tanstack/react-query"
import type { Undo } from "../../lib/notify.ts"
import { keys, reloadCollection } from "../../lib/state.ts"
import { useStable } from "../../lib/use-stable.ts"
import { type OneWrite, type OnRefused, useWrite } from "../../lib/write.ts"
import { useUndoChange } from "../history/queries.ts"
import { type SavedChange, undoneWords } from "../history/undone-words.ts"
import { applyUnlessReloaded, withItem } from "./queries.ts"

/** An item as it is to be stored. */
export interface WantedItem {
  name: string
  value: string
  /** What it replaces, as the user has seen it: over a later state it is refused. Undefined if it is new. */
  over?: Item | undefined
}

interface SaveOptions {
  /** Goes into the history. */
  note?: string
  /** Whether a new item with a blank value is refused. */
  needsValue?: boolean
  onRefused?: OnRefused
  /** Gets the items in the order in which they were wanted. Called before the reload. */
  onStored?: (stored: Item[]) => void
}

/** Resolves to what is stored, or to undefined if it was refused. The user knows by then. */
export type SaveItems = (wanted: readonly WantedItem[], options?: SaveOptions) => Promise<Item[] | undefined>

interface Written extends SavedChange {
  before: Item | undefined
  after: Item
}

/**
 * Every save of edited and new items, from wherever it comes: all of them in one revision, or none, and taken back in the
 * same way.
 */
export function useSaveItems({ id, collectionId }: Pick<Environment, "id" | "collectionId">): SaveItems {
  const client = useQueryClient()
  const reload = { reload: () => reloadCollection(client, collectionId) }
  const create = useWrite(items.create, reload)
  const update = useWrite(items.update, reload)
  const saveMany = useWrite(items.saveMany, reload)
  const remove = useWrite(items.remove, reload)
  const undoChange = useUndoChange(collectionId)

  async function save(wanted: readonly WantedItem[], options: SaveOptions = {}) {
    return send(wanted, options, { undo: (stored) => undoOf(writtenOf(wanted, stored)) })
  }

  async function send(
    wanted: readonly WantedItem[],
    { note, needsValue = false, onRefused, onStored }: SaveOptions,
    { success, undo }: Pick<OneWrite<Item[]>, "success" | "undo">,
  ): Promise<Item[] | undefined> {
    const [first, ...others] = wanted
    const only = others.length === 0 ? first : undefined

    /** An item alone has calls of its own. */
    function sendAlone({ name, value, over }: WantedItem) {
      const one: OneWrite<Item> = {
        success,
        onStored: (item) => onStored?.([item]),
        undo: (item) => undo?.([item]),
      }
      if (over === undefined) return create({ name, value, subCollectionId: id, note }, onRefused, one)
      return update({ id: over.id, name, value, revision: over.revision, note }, onRefused, one)
    }
    function sendTogether() {
      const input = { id, items: wanted.map(sentItem), note }
      return saveMany(input, onRefused, { success: only ? items.create.done : success, onStored, undo })
    }

    // Only the call for several takes a new item with a blank value.
    const isBlank = only?.over === undefined && only?.value.trim() === "" && !needsValue
    const done = only === undefined || isBlank ? await sendTogether() : await sendAlone(only)
    if (done === undefined) return undefined

    const stored = [done.data].flat()
    applyUnlessReloaded(client, collectionId, (environment) => stored.reduce(withItem, environment))
    return stored
  }

  /** Undefined if there is nothing that could be taken back. */
  function undoOf(written: Written[]): Undo | undefined {
    const [first, ...others] = written
    // What was damaged cannot come back.
    if (first === undefined || written.some(({ before }) => before?.value === null)) return undefined
    const words = () => undoneWords(written, isSecret)

    if (written.every(({ before }) => before !== undefined)) {
      // The edits are saved back, so what others have done to other items since does not matter.
      const back = written.flatMap(({ before, after }) =>
        before === undefined ? [] : [{ name: before.name, value: before.value ?? "", over: after }],
      )
      return () => send(back, {}, { success: words() })
    }
    const { id: itemId, revision } = first.after
    if (others.length === 0) return () => remove({ id: itemId, revision }, undefined, { success: words() })
    return () => undoChange({ id, revision }, words())
  }

  function isSecret(name: string): boolean {
    const abouts = client.getQueryData<About[]>(keys.names(collectionId))
    return abouts?.find((about) => about.name === name)?.isSecret !== false
  }

  return useStable({ save }).save
}

function sentItem({ name, value, over }: WantedItem) {
  return over === undefined ? { name, value } : { id: over.id, name, value, revision: over.revision }
}

/** Without the items that were stored in this way already. */
function writtenOf(wanted: readonly WantedItem[], stored: readonly Item[]): Written[] {
  return stored.flatMap((after, at) => {
    const before = wanted[at]?.over
    return before?.revision === after.revision ? [] : [{ before, after }]
  })
}
