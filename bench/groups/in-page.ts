// What runs in the page, as text: this side of the wire knows no `document`.

export interface Loading {
  painted: number
  interactive: number
}

/** Before the page's own scripts: notes every task that keeps the page from answering. */
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

/** Clicks the block's toggle; gives the time until the frame after the one in which its rows stand. */
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

/** From now on, and no longer before: may be asked for again. */
export const watchKeys = `
  if (window.benchKeys === undefined) document.addEventListener("keydown", ({ timeStamp }) => {
    requestAnimationFrame(() => {
      // A message comes after the frame has been painted.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => window.benchKeys.push(performance.now() - timeStamp)
      port2.postMessage(null)
    })
  }, true)
  window.benchKeys = []`

export const keyDelays = "window.benchKeys"
