/*
 * The stops of the J, K and arrow keys: the toggle of each environment and its rows, in the order of the page. Only rows
 * near the visible ones exist, so the next stop may have to be scrolled to first.
 */

export function stopOf(element: Element | null): HTMLElement | undefined {
  const row = element?.closest<HTMLElement>("li[data-stop]")
  return row ?? environmentOf(element)?.querySelector<HTMLElement>("button[data-stop]") ?? undefined
}

export function isStop(element: Element | null): boolean {
  return element?.matches("[data-stop]") === true
}

export function environmentOf(element: Element | null): HTMLElement | undefined {
  return element?.closest<HTMLElement>("section.environment") ?? undefined
}

export function environments(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("section.environment")]
}

/** Moves the focus to the stop after or before this one. */
export function moveFrom(stop: HTMLElement | undefined, step: 1 | -1): void {
  const all = () => [...document.querySelectorAll<HTMLElement>("[data-stop]")]
  if (stop === undefined) {
    focusStop(all()[0])
    return
  }
  const neighbour = () => all()[all().indexOf(stop) + step]
  if (isNext(stop, neighbour(), step)) {
    focusStop(neighbour())
    return
  }
  if (isRow(stop)) stop.scrollIntoView({ block: "nearest" })
  // The toggle itself may stick to the top of the window, far from its place in the page.
  else environmentOf(stop)?.scrollIntoView({ block: "start" })
  focusSoon(() => (isNext(stop, neighbour(), step) ? neighbour() : undefined))
}

/** Whether no row between the two is missing from the page. */
function isNext(stop: HTMLElement, next: HTMLElement | undefined, step: 1 | -1): boolean {
  if (isRow(stop) && isRow(next) && next?.parentElement === stop.parentElement) {
    return position(next) === position(stop) + step
  }
  const [leftRow, enteredRow] = [isRow(stop) ? stop : undefined, isRow(next) ? next : undefined]
  return isAtEnd(leftRow, step) && isAtEnd(enteredRow, step === 1 ? -1 : 1)
}

/** Whether this is the last row in this direction. True if it is no row. */
function isAtEnd(row: HTMLElement | undefined, step: 1 | -1): boolean {
  return row === undefined || position(row) === (step === 1 ? Number(row.ariaSetSize) : 1)
}

function isRow(stop: HTMLElement | undefined): boolean {
  return stop?.matches("li") === true
}

const position = (row: HTMLElement) => Number(row.ariaPosInSet)

function focusStop(stop: HTMLElement | undefined): void {
  stop?.focus({ preventScroll: true })
  stop?.scrollIntoView({ block: "nearest" })
}

/** The list is rendered a few frames after it was opened or scrolled, more on a slow machine. */
const maxFrames = 120

/** Focuses an element as soon as it is on the page. */
export function focusSoon(find: () => HTMLElement | null | undefined, framesLeft = maxFrames): void {
  const found = find()
  if (found) focusStop(found)
  else if (framesLeft > 0) requestAnimationFrame(() => focusSoon(find, framesLeft - 1))
}
