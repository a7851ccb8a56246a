import { access, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { backUp } from "@envkeep/testing/commands.ts"
import type { FaultKind } from "@envkeep/testing/disk-faults/control.ts"
import { everyFault, type FaultCase, faultsOfEnd, runWithFault } from "@envkeep/testing/disk-faults/every-fault.ts"
import { faultTest } from "@envkeep/testing/disk-faults/fault-test.ts"
import { collectionsOf, faultsOfStore } from "@envkeep/testing/disk-faults/whole-store.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect } from "vitest"
import { readBackup } from "../../src/backup/read.ts"

// Commands on a disk that fails once, at each call that changes something. Afterwards the store is whole, it is what the
// command says that it is, and what has failed can be done again.

const kinds: FaultKind[] = ["EIO", "ENOSPC", "a short write", "the end of the process"]
const saved = "saved.backup"

/** A store with three collections, and a backup of the first two in its folder. */
async function template(): Promise<string> {
  const app = await testApp()
  const ann = await app.user()
  for (const name of ["one", "two", "three"]) {
    if (name === "three") await backUp(app.location, join(app.location.dataDir, saved))
    const environment = await ann.environment("production", (await ann.collection(name)).id)
    await ann.item(environment, "A", "1")
    await ann.apiKey(environment)
  }
  await app.close()
  return app.location.dataDir
}

for (const kind of kinds) {
  faultTest(`a backup, with ${kind}`, async () => {
    expect(await everyFault({ template: await template(), kind, attempt: backup })).toEqual([])
  })

  faultTest(`a restore with --force, with ${kind}`, async () => {
    expect(await everyFault({ template: await template(), kind, attempt: restore })).toEqual([])
  })

  faultTest(`a rotation of the root key, with ${kind}`, async () => {
    expect(await everyFault({ template: await template(), kind, attempt: rotation })).toEqual([])
  })
}

faultTest("commands whose reading fails once", async () => {
  for (const attempt of [backup, restore, rotation]) {
    expect(await everyFault({ template: await template(), kind: "EIO", of: "reads", attempt })).toEqual([])
  }
})

async function backup(one: FaultCase): Promise<string[]> {
  const file = join(one.dataDir, "new.backup")
  const ended = await runWithFault(one, "backup", file)
  const wrong = faultsOfEnd(ended, one.fault)
  const isThere = await exists(file)
  // A process that is killed may have given the name just before.
  if (ended.code !== null && isThere !== (ended.code === 0))
    wrong.push(`the backup is ${isThere ? "" : "not "}there: ${ended.err}`)
  if (isThere) await readBackup(file, {}).catch((error: Error) => wrong.push(error.message))
  return [...wrong, ...(await faultsOfStore(one.dataDir))]
}

async function restore(one: FaultCase): Promise<string[]> {
  const ended = await runWithFault(one, "restore", join(one.dataDir, saved), "--force")
  const wrong = [...faultsOfEnd(ended, one.fault), ...(await faultsOfStore(one.dataDir))]
  const found = await collectionsOf(one.dataDir)
  const expected = ended.out.startsWith("Restored") ? ["one,two"] : ["one,three,two"]
  if (ended.code === null) expected.push("one,two")
  if (!expected.includes(found)) wrong.push(`the store has ${found}, and the command says ${ended.out}${ended.err}`)
  // Within the same second, the store that was there before would get the same name.
  if (found === "one,two") return wrong
  for (const name of await readdir(one.dataDir))
    if (name.includes(".before-restore-")) await rm(join(one.dataDir, name))
  return [...wrong, ...(await again(one, "restore", join(one.dataDir, saved), "--force"))]
}

async function rotation(one: FaultCase): Promise<string[]> {
  const ended = await runWithFault(one, "rotate-root-key")
  const wrong = [...faultsOfEnd(ended, one.fault), ...(await faultsOfStore(one.dataDir))]
  if (ended.code === 0) return wrong
  return [...wrong, ...(await again(one, "rotate-root-key"))]
}

/** What is wrong when it is done without a fault. */
async function again({ dataDir }: FaultCase, ...args: string[]): Promise<string[]> {
  const { code, err } = await run({ dataDir, databaseUrl: undefined }, { args }).ended
  if (code !== 0) return [`done again, it exits with ${code}: ${err}`]
  return (await faultsOfStore(dataDir)).map((one) => `done again: ${one}`)
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
