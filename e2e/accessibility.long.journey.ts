import { expectAccessible } from "./axe.ts"
import { screens } from "./screens/all.ts"
import { test } from "./test.ts"

/** They have the same elements as another screen, with more or fewer of them, or are that screen in a narrow window. */
const alike = [
  "dialog-find-phone",
  "names-phone",
  "compare-phone",
  "environment-many",
  "history-first",
  "dialog-import-empty",
  "dialog-keys-empty",
  "key-leak-working",
  "collection-new-refused",
  "sharing-link",
  "teams",
  "invitation-refused",
  "admin-invitations",
]

for (const { name, show } of screens.filter(({ name }) => !alike.includes(name))) {
  test(`${name} has no axe violations, in light and dark, wide and narrow`, async ({ page, given }) => {
    await show(page, given)
    await expectAccessible(page)
  })
}
