import { cp, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { browser, readByKey } from "@envkeep/testing/crash/clients.ts"
import { everyFault, type FaultCase } from "@envkeep/testing/disk-faults/every-fault.ts"
import { faultsOfWork, faultTest } from "@envkeep/testing/disk-faults/fault-test.ts"
import { faultsOfStore } from "@envkeep/testing/disk-faults/whole-store.ts"
import { scratchFolder } from "@envkeep/testing/machine/scratch.ts"
import { run } from "@envkeep/testing/process.ts"
import { password } from "@envkeep/testing/running-app.ts"
import { expect } from "vitest"

// Saves on a disk that fails once. What was acknowledged is there after a kill and a start, what was refused is not, and
// half of a save never is.

for (const [kind, of] of faultsOfWork) {
  faultTest(`saves, with ${kind}, of ${of}`, async () => {
    const { template, ...store } = await smallStore()
    const attempt = (one: FaultCase) => save(one, store)
    expect(await everyFault({ template, kind, of, attempt })).toEqual([])
  })
}

interface Store {
  email: string
  environmentId: number
  key: string
}

async function smallStore(): Promise<Store & { template: string }> {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "N0", "0")
  const { key } = await ann.apiKey(environment)
  await app.close()
  return { template: app.location.dataDir, email: ann.email, environmentId: environment.id, key }
}

/** What an environment holds after so many saves. The third one is long, and each replaces what was there. */
const itemsOf = (save: number) =>
  Array.from({ length: 4 }, (_, n) => ({ name: `N${n}`, value: `${save}${save === 3 ? "x".repeat(60_000) : ""}` }))
const textOf = (save: number) =>
  JSON.stringify(Object.fromEntries(itemsOf(save).map(({ name, value }) => [name, value])))
const saves = 4

const refusals: string[] = [sentences.diskFull, sentences.diskUnreadable, sentences.databaseAway]

async function save({ dataDir, control, fault }: FaultCase, store: Store): Promise<string[]> {
  control.set({ kind: "none", of: "nothing", at: 0 })
  const server = run({ dataDir, databaseUrl: undefined }, { env: control.env })
  const target = { url: await server.url() }
  const ann = browser(target)
  await ann.call("POST", "/users/login", { email: store.email, password })
  const saveOnce = (n: number) => ann.call("POST", `/subcollection/${store.environmentId}/bulk`, itemsOf(n))

  control.set(fault)
  const wrong: string[] = []
  let possible = ['{"N0":"0"}']
  for (let n = 1; n <= saves; n++) {
    // No answer and no read come from a process that has ended here.
    const answer = await saveOnce(n).catch(() => undefined)
    if (answer?.status === 200) possible = [textOf(n)]
    else if (answer === undefined || answer.msg === sentences.savedUnknown) possible.push(textOf(n))
    else if (!refusals.includes(answer.msg)) wrong.push(`save ${n} was answered ${answer.status}: ${answer.msg}`)
    const read = await readByKey(target, store.key).catch(() => undefined)
    if (read === undefined) break
    const isRefused = read.status === 503 && refusals.some((msg) => read.text.includes(msg))
    if (read.stale !== null || isRefused) continue
    if (!possible.includes(read.text)) wrong.push(`after save ${n} it reads ${read.status} ${short(read.text)}`)
  }
  if (control.made() > 0 && fault.kind !== "the end of the process") {
    const { status, msg } = await saveOnce(saves + 1)
    if (status === 200) possible = [textOf(saves + 1)]
    else wrong.push(`after the fault, a save is answered ${status}: ${msg}`)
  }
  server.child.kill("SIGKILL")
  if ((await server.ended).out.includes("unexpected error")) wrong.push("the log has an unexpected error")

  wrong.push(...(await inCopyOf(dataDir, faultsOfStore)))
  return [...wrong, ...(await faultsOfNextStart(dataDir, store.key, possible))]
}

async function faultsOfNextStart(dataDir: string, key: string, possible: string[]): Promise<string[]> {
  const server = run({ dataDir, databaseUrl: undefined })
  const { status, text } = await readByKey({ url: await server.url() }, key)
  server.child.kill("SIGKILL")
  await server.ended
  const wrong = await faultsOfStore(dataDir)
  if (status === 200 && possible.includes(text)) return wrong
  return [...wrong, `after a start it reads ${status} ${short(text)} instead of ${possible.map(short).join(" or ")}`]
}

const short = (text: string) => `${text.slice(0, 40)} (${text.length})`

/** The doctor must not have helped the start. */
async function inCopyOf<Result>(dataDir: string, work: (copy: string) => Promise<Result>): Promise<Result> {
  const copy = await mkdtemp(join(scratchFolder, "envkeep-test-"))
  try {
    await cp(dataDir, copy, { recursive: true })
    return await work(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}
