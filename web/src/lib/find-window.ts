import { useLayoutEffect, useSyncExternalStore } from "react"
import { flushSync } from "react-dom"

/*
 * Find is in two parts. Its window with the field is in the first load, so that it has the keyboard from the keydown on that
 * opens it. What lists the results is loaded then, and takes over what was typed by that time.
 */

export interface FindSlot {
  field: HTMLInputElement
  /** Where the results are rendered. */
  body: HTMLElement
  /** Presses of the keys for the list, from before there was one. */
  heldKeys: string[]
  /** From now on, the list handles the keys. */
  takeKeys: () => void
}

interface FindState {
  opened: boolean
  slot?: FindSlot
  /** Whether the page has nothing that could show results. */
  withheld?: boolean
}

let state: FindState = { opened: false }
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(next: FindState): void {
  state = next
  for (const listener of listeners) listener()
}

export function useFind(): FindState {
  return useSyncExternalStore(subscribe, () => state)
}

/** When it returns, the field has the focus. */
export function openFind(): void {
  if (!state.opened && state.withheld !== true) flushSync(() => change({ opened: true }))
}

export function closeFind(): void {
  if (state.opened) change({ opened: false })
}

export function offerSlot(slot: FindSlot): void {
  change({ opened: true, slot })
}

/** Closes Find for as long as the page that calls this is shown. */
export function useWithoutFind(): void {
  useLayoutEffect(() => {
    change({ opened: false, withheld: true })
    return () => change({ opened: false })
  }, [])
}
