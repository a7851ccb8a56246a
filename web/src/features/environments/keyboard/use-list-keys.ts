import { useEffect, useEffectEvent } from "react"
import { isCovered, isField, shortcutOf } from "../../../ui/shortcut.ts"
import { environmentOf, environments, focusSoon, isStop, moveFrom, stopOf } from "./stops.ts"

/** The keys with which a collection can be used without a mouse. `ShortcutsDialog` lists them. */
export function useListKeys({ onHelp }: { onHelp: () => void }): void {
  const help = useEffectEvent(onHelp)
  useEffect(() => {
    function handle(event: KeyboardEvent) {
      if (event.key === "Escape" && isField(event.target) && !isCovered() && leaveField(event.target)) return
      const key = shortcutOf(event)
      if (key === undefined) return
      const act: (() => unknown) | undefined = key === "?" ? help : actions[key]
      // An arrow key on anything else than a stop scrolls the page.
      if (act === undefined || (key.startsWith("Arrow") && !isStop(document.activeElement))) return
      if (act() !== false) event.preventDefault()
    }
    addEventListener("keydown", handle)
    return () => removeEventListener("keydown", handle)
  }, [])
}

/** By key. False leaves the key to the browser. */
const actions: Record<string, () => unknown> = {
  j: () => moveFrom(currentStop(), 1),
  k: () => moveFrom(currentStop(), -1),
  ArrowDown: () => moveFrom(currentStop(), 1),
  ArrowUp: () => moveFrom(currentStop(), -1),
  ArrowRight: () => toggle(environmentOf(document.activeElement), true),
  ArrowLeft: () => (isRow() ? toEnvironment() : toggle(environmentOf(document.activeElement), false)),
  Escape: () => isRow() && toEnvironment(),
  e: () => isWithinRow() && editRow(),
  Enter: () => isRow() && editRow(),
  n: () => openAndFocus(".item-row--add input"),
  "/": () => openAndFocus('input[type="search"]'),
}

const currentStop = () => stopOf(document.activeElement)
const isRow = () => isWithinRow() && isStop(document.activeElement)
const isWithinRow = () => currentStop()?.matches("li") === true

/** Returns to the row or, from the filter and the new item, to the environment. */
function leaveField(field: EventTarget | null): boolean {
  const stop = field instanceof Element ? stopOf(field) : undefined
  // The first press clears the filter.
  if (stop === undefined || (field instanceof HTMLInputElement && field.type === "search" && field.value !== "")) {
    return false
  }
  stop.focus({ preventScroll: true })
  return true
}

function toEnvironment(): void {
  toggleOf(environmentOf(document.activeElement))?.focus()
}

function editRow(): void {
  currentStop()?.querySelector("textarea")?.focus()
}

/** In the environment that has the focus, or in the first open one. */
function openAndFocus(selector: string): void {
  const all = environments()
  const environment = environmentOf(document.activeElement) ?? all.find(isOpen) ?? all[0]
  if (environment === undefined) return
  toggle(environment, true)
  focusSoon(() => environment.querySelector<HTMLElement>(selector))
}

function toggle(environment: HTMLElement | undefined, open: boolean): void {
  if (environment !== undefined && isOpen(environment) !== open) toggleOf(environment)?.click()
}

function isOpen(environment: HTMLElement): boolean {
  return toggleOf(environment)?.ariaExpanded === "true"
}

function toggleOf(environment: HTMLElement | undefined): HTMLButtonElement | undefined {
  return environment?.querySelector<HTMLButtonElement>("button[data-stop]") ?? undefined
}
