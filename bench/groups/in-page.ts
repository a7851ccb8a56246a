// Code that runs in the page, as text: there is no `document` here.

export interface Loading {
  painted: number
  interactive: number
}

/** Runs before the page's own scripts and records every task that blocks the page. */
export const watchLoading = `
  window.benchBusyUntil = 0
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      window.benchBusyUntil = Math.max(window.benchBusyUntil, startTime + duration)
    }
  }).observe({ type: "longtask", buffered: true })`

export const loading = `(() => {
  const painted = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN
  return { painted, interactive: Math.max(painted, window.benchBusyUntil) }
})()`

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

/** Records the delay of each key press; run again, it starts over. */
export const watchKeys = `
  if (window.benchKeys === undefined) document.addEventListener("keydown", ({ timeStamp }) => {
    requestAnimationFrame(() => {
      // A message arrives after the frame was painted.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => window.benchKeys.push(performance.now() - timeStamp)
      port2.postMessage(null)
    })
  }, true)
  window.benchKeys = []`

export const keyDelays = "window.benchKeys"
