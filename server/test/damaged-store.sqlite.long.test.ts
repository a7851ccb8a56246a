import {
  cannotBeOpened,
  expectDoctorToShow,
  expectNotToOpen,
  expectWhole,
  shownByTheDoctor,
  withoutMeaning,
} from "@envkeep/testing/damaged-store.ts"
import { test } from "vitest"

// Every damage. One or a few of each kind are in `damaged-store.sqlite.test.ts`.

test.each(cannotBeOpened)(
  "$0: the start and every command exit with 74, and a restore brings all back",
  async (_, damage) => {
    await expectNotToOpen(damage)
  },
)

test.each(shownByTheDoctor)("$0: the doctor exits with 74, and a restore brings all back", async (_, damage) => {
  await expectDoctorToShow(damage)
})

test.each(withoutMeaning)("$0: the store is whole", async (_, damage) => {
  await expectWhole(damage)
})
