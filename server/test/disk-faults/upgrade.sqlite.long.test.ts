import { mkdtemp, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { everyFault, type FaultCase, faultsOfEnd } from "@envkeep/testing/disk-faults/every-fault.ts"
import { faultsOfWork, faultTest } from "@envkeep/testing/disk-faults/fault-test.ts"
import { faultsOfStore } from "@envkeep/testing/disk-faults/whole-store.ts"
import { scratchFolder } from "@envkeep/testing/machine/scratch.ts"
import { run } from "@envkeep/testing/process.ts"
import { copyPrivately } from "@envkeep/testing/restored.ts"
import { expect, onTestFinished } from "vitest"

// The first start on the store of an earlier release, on a disk that fails once. The next start goes on, with all that was
// there.

const fixture = join(import.meta.dirname, "../../../testing/fixtures/store-before-roles")

for (const [kind, of] of faultsOfWork) {
  faultTest(`an upgrade, with ${kind}, of ${of}`, async () => {
    expect(await everyFault({ template: await template(), kind, of, attempt: upgrade })).toEqual([])
  })
}

async function template(): Promise<string> {
  const folder = await mkdtemp(join(scratchFolder, "envkeep-test-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const name of ["envkeep.db", "root.key"]) await copyPrivately(join(fixture, name), join(folder, name))
  return folder
}

async function upgrade({ dataDir, control, fault }: FaultCase): Promise<string[]> {
  const location = { dataDir, databaseUrl: undefined }
  // However long ago the fixture was written, what is in its trash stays there.
  const env = { ENVKEEP_TRASH_DAYS: "0" }
  const first = run(location, { env: { ...env, ...control.env } })
  const hasStarted = await first.url().then(
    () => true,
    () => false,
  )
  first.child.kill("SIGKILL")
  const ended = await first.ended
  const wrong = hasStarted ? [] : faultsOfEnd(ended, fault)
  wrong.push(...(await faultsOfStore(dataDir)))

  const second = run(location, { env })
  try {
    const url = await second.url()
    wrong.push(...(await missingVariables(url)))
  } catch (error) {
    wrong.push(`the next start: ${(error as Error).message}`)
  }
  second.child.kill("SIGKILL")
  await second.ended
  return [...wrong, ...(await faultsOfStore(dataDir))]
}

async function missingVariables(url: string): Promise<string[]> {
  const { keys } = JSON.parse(await readFile(join(fixture, "expected.json"), "utf8")) as {
    keys: { key: string; variables: string }[]
  }
  const wrong: string[] = []
  for (const { key, variables } of keys) {
    const answer = await fetch(`${url}/api/v1/variables`, { headers: { authorization: `Bearer ${key}` } })
    const text = await answer.text()
    if (text !== variables) wrong.push(`a key reads ${answer.status} ${text}`)
  }
  return wrong
}
