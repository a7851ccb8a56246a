import type { ActivityPage } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { setUpTotp } from "@envkeep/testing/authenticator.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { person } from "@envkeep/testing/person.ts"
import { expect, vi } from "vitest"
import type { Visitor } from "../../access/caller.ts"
import { type Recorder, recordEvent } from "../../audit/record.ts"
import { createRefusals } from "./refusals.ts"

const guest: Visitor = { kind: "guest", address: "192.0.2.1", device: "", client: "" }

/** Refused logins on a store in which events cannot be written while the disk is full. */
async function withDisk() {
  const disk: { isFull: boolean; beforeWrite: () => void } = { isFull: false, beforeWrite: () => undefined }
  const record: Recorder = async (tx, event) => {
    if (disk.isFull) throw new Error("the disk is full")
    disk.beforeWrite()
    return recordEvent(tx, event)
  }
  const { core, db } = await testApp({ record })
  const failed = vi.fn()
  const written = async () => {
    const query = db.selectFrom("audit_event").select("details").where("action", "=", "session.refuse").orderBy("id")
    return (await query.execute()).map(({ details }) => JSON.parse(details).refused)
  }
  return { disk, refusals: createRefusals(core, failed), failed, written }
}

testOnce("refused logins that cannot be written down are counted until they can", async () => {
  const { disk, refusals, failed, written } = await withDisk()
  disk.isFull = true
  for (let n = 0; n < 3; n++) refusals.note(guest)
  await expect(refusals.close()).rejects.toThrow("the disk is full")
  await expect(refusals.close()).rejects.toThrow("the disk is full")
  expect([failed.mock.calls.length, await written()]).toEqual([1, []])

  disk.isFull = false
  await refusals.close()
  // The first one too, which is an event of its own on a disk that is not full.
  expect(await written()).toEqual([3])
  await refusals.close()
  expect(await written()).toEqual([3])
})

testOnce("logins that are refused while a sum is written are in the next one", async () => {
  const { disk, refusals, written } = await withDisk()
  for (let n = 0; n < 3; n++) refusals.note(guest)
  await vi.waitFor(async () => expect(await written()).toEqual([1]), eventually)
  disk.beforeWrite = () => {
    disk.beforeWrite = () => undefined
    refusals.note(guest)
  }
  await refusals.close()
  expect(await written()).toEqual([1, 2])
  await refusals.close()
  expect(await written()).toEqual([1, 2, 1])
})

testOnce("a wrong link for a lost second factor is an event of the account, as a wrong code is", async () => {
  const app = await testApp()
  const ann = await app.user()
  await setUpTotp(ann)
  const browser = person(app.app)
  await browser.post("/users/login", { email: ann.email, password })
  expect((await browser.post("/users/login/factor-link", { token: "made-up token" })).status).toBe(400)
  const refused = async () => {
    const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
    return events.filter(({ action }) => action === "session.refuse-factor").map(({ counts }) => counts["refused"])
  }
  await expect.poll(refused, eventually).toEqual([1])
})
