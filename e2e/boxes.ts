import type { Locator } from "@playwright/test"

/** Where all that a locator finds is, measured at one moment: a page that still moves shows two elements in one place. */
export function boxesOf(elements: Locator) {
  return elements.evaluateAll((all) =>
    all.map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return { x, y, width, height }
    }),
  )
}
