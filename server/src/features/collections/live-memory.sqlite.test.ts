import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { readerStream } from "@envkeep/testing/reader-stream.ts"
import { callerOf, copyEnvironment, screensApp } from "@envkeep/testing/screens.ts"
import { expect, test } from "vitest"

// The same with both engines; the buffers of a connection to a database would be measured too.

test("a screen takes less than 10 kB beside others of its collection, and less than 30 kB alone", async () => {
  const app = await screensApp()
  const collectionIds: number[] = []
  for (let n = 0; n < 41; n++) {
    const environment = await app.ann.environment()
    await copyEnvironment(app, environment.id, 999)
    collectionIds.push(environment.collectionId)
  }
  const [shared = 0, ...others] = collectionIds
  const follow = async (ids: number[]) => {
    for (const id of ids) {
      const isTold = Promise.withResolvers<void>()
      await app.live.add(callerOf(app.userId), id, readerStream(() => isTold.resolve()).open)
      await isTold.promise
    }
  }
  const keptByEach = async (ids: number[]) => {
    const before = keptBytes()
    await follow(ids)
    return (keptBytes() - before) / ids.length
  }
  const many = new Array<number>(100).fill(shared)
  await follow(many)
  expect(await keptByEach(many)).toBeLessThan(10_000)
  expect(await keptByEach(others)).toBeLessThan(30_000)
})

/** After everything that is not used any more was freed. */
function keptBytes(): number {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  collect()
  // Arrays are freed on another thread. The second waits for that.
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
