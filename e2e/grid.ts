import type { Locator, Page } from "@playwright/test"

/** In the grid that compares environments, a cell of the row of a name. Column 1 is the first environment. */
export function cellAt(page: Page, name: string, column = 1): Locator {
  return page
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name }) })
    .getByRole("gridcell")
    .nth(column - 1)
}
