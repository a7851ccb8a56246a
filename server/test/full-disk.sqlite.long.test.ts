import { expectUpgradeToWaitForRoom, kibibyte } from "@envkeep/testing/full-disk.ts"
import { test } from "vitest"

// The backup takes less than 8 KiB, what SQLite needs to open its file 32 KiB, and the upgrade more than 400 KiB.
test.each([
  { room: 2 * kibibyte, when: "it opens the store" },
  { room: 36 * kibibyte, when: "the upgrade is written" },
  { room: 400 * kibibyte, when: "it is almost done" },
])("a disk that fills while $when leaves the store as it was, and the next start goes on", async ({ room }) => {
  await expectUpgradeToWaitForRoom(room)
})
