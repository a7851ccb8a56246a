// Code that runs in the page, as text: there is no `document` here.

/** Clicks the block's toggle; returns the time until the frame after the one that shows its rows. */
export const expand = (name: string) => `new Promise((resolve) => {
  const toggle = [...document.querySelectorAll("button[aria-expanded]")]
    .find((button) => button.textContent.trim().startsWith(${JSON.stringify(name)}))
  const began = performance.now()
  toggle.click()
  const look = () => {
    const shown = document.querySelector("li input, [role=listitem] input") !== null
    requestAnimationFrame(shown ? () => resolve(performance.now() - began) : look)
  }
  requestAnimationFrame(look)
})`

/** Runs before the page's own scripts: records when the first frame after one with rows of the grid begins. */
export const watchGrid = `
  window.benchGrid = new Promise((resolve) => {
    const look = () => {
      const shown = document.querySelector("[role=grid] [role=gridcell]") !== null
      requestAnimationFrame(shown ? () => resolve(performance.now()) : look)
    }
    requestAnimationFrame(look)
  })`

export const gridShown = "window.benchGrid"

export interface Scrolling {
  blankFrames: number
  slowestFrameMs: number
}

/** Scrolls three screens in each frame, and looks in each whether rows fill the grid. */
export const scrollGrid = `new Promise((resolve) => {
  const grid = document.querySelector("[role=grid]")
  const { left, top, bottom } = grid.getBoundingClientRect()
  const head = grid.querySelector("[role=columnheader]").getBoundingClientRect()
  const isRowAt = (y) => document.elementFromPoint(left + 20, y)?.closest("[role=row]") != null
  let frames = 0, blankFrames = 0, slowestFrameMs = 0, last = performance.now()
  const step = () => {
    // The scroll event of the last frame has been handled: this is what is painted next.
    const now = performance.now()
    slowestFrameMs = Math.max(slowestFrameMs, now - last)
    last = now
    const places = [head.bottom + 4, (head.bottom + bottom) / 2, bottom - 4]
    if (!places.every(isRowAt)) blankFrames++
    if (++frames > 200) return resolve({ blankFrames, slowestFrameMs })
    const end = grid.scrollHeight - grid.clientHeight
    grid.scrollTop = (grid.scrollTop + 3 * (bottom - top)) % end
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
})`
