import { cp, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { scratchFolder } from "../machine/scratch.ts"
import { type Ended, run } from "../process.ts"
import { type Fault, type FaultClass, type FaultControl, type FaultKind, faultControl } from "./control.ts"

/** So many faults of one kind are made, or as many as ENVKEEP_DISK_FAULTS says: a number, or `all`. */
const wanted = process.env["ENVKEEP_DISK_FAULTS"] ?? "24"
const maxFaults = wanted === "all" ? Number.POSITIVE_INFINITY : Number(wanted)
/** Each of them starts a process, and a machine has two cores or more. */
const atSameTime = 2

export interface FaultCase {
  dataDir: string
  fault: Fault
  control: FaultControl
}

interface Scenario {
  /** A folder that is copied for each fault. */
  template: string
  kind: FaultKind
  of?: FaultClass
  /** Does the work with the fault. Returns what is wrong afterwards. */
  attempt(one: FaultCase): Promise<string[]>
}

/** Does the work once without a fault, and then again and again with one at another call. Returns what is wrong. */
export async function everyFault({ template, kind, of = "changes", attempt }: Scenario): Promise<string[]> {
  const without = await inCopy(template, async (dataDir, control) => {
    const wrong = await attempt(prepared({ dataDir, control, fault: { kind: "none", of, at: 0 } }))
    return { wrong, calls: control.calls() }
  })
  if (without.wrong.length > 0) return without.wrong.map((one) => `without a fault: ${one}`)
  const remaining = chosen(without.calls, kind)
  if (remaining.length === 0) return ["nothing could fail"]

  const wrong: string[] = []
  let made = 0
  const work = async () => {
    for (let at = remaining.shift(); at !== undefined; at = remaining.shift()) {
      const fault = { kind, of, at }
      const found = await inCopy(template, async (dataDir, control) => {
        const complaints = await attempt(prepared({ dataDir, control, fault }))
        made += control.made()
        return complaints.map((one) => `${kind} at ${at}, ${control.calls()[fault.at - 1]}: ${one}`)
      })
      wrong.push(...found)
    }
  }
  await Promise.all(Array.from({ length: atSameTime }, work))
  return made > 0 ? wrong : ["no fault was made"]
}

function prepared(one: FaultCase): FaultCase {
  one.control.set(one.fault)
  return one
}

async function inCopy<Result>(
  template: string,
  work: (dataDir: string, control: FaultControl) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(join(scratchFolder, "envkeep-test-"))
  const control = await faultControl(dataDir)
  try {
    await cp(template, dataDir, { recursive: true })
    return await work(dataDir, control)
  } finally {
    await control.remove()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * The numbers of the calls that are to fail: all that are no writes, and of writes to one file that follow each other the
 * first, the last and one between them. If that is too much, evenly fewer.
 */
export function chosen(calls: readonly string[], kind: FaultKind): number[] {
  const numbers = calls.flatMap((call, index) => {
    if (kind === "a short write" && !call.startsWith("write ")) return []
    if (kind === "ENOSPC" && !/^(write|open|rename|link|mkdir) /.test(call)) return []
    return maxFaults === Number.POSITIVE_INFINITY || !isInside(calls, index) ? [index + 1] : []
  })
  const step = Math.max(1, numbers.length / maxFaults)
  return Array.from({ length: Math.min(numbers.length, maxFaults) }, (_, at) => numbers[Math.floor(at * step)] ?? 0)
}

/** Neither the first nor the last of equal calls, nor the one in their middle. */
function isInside(calls: readonly string[], index: number): boolean {
  let [first, last] = [index, index]
  while (calls[first - 1] === calls[index]) first--
  while (calls[last + 1] === calls[index]) last++
  return index !== first && index !== last && index !== Math.floor((first + last) / 2)
}

/** Runs a command of the product with the fault. */
export function runWithFault({ dataDir, control }: FaultCase, ...args: string[]): Promise<Ended> {
  return run({ dataDir, databaseUrl: undefined }, { args, env: control.env }).ended
}

/**
 * What is wrong with how a process ended: it succeeded, was killed, or said in sentences that the disk is the reason. 74 is
 * for a store that cannot be read when it is tried again.
 */
export function faultsOfEnd({ code, err }: Ended, { kind }: Fault): string[] {
  const wrong: string[] = []
  const expected = kind === "the end of the process" ? [null, 0] : [0, 73]
  // A backup is not always on the disk of the data folder.
  const isOfBackup = code === 1 && /^envkeep: The backup .* cannot be read: /.test(err)
  if (!expected.includes(code) && !isOfBackup) wrong.push(`exit code ${code}`)
  const strange = err.split("\n").filter((line) => line !== "" && !/^envkeep: [A-Z].* .*\w\)?$/.test(line))
  if (code !== 0 && code !== null && err === "") wrong.push("not a word of why")
  if (strange.length > 0) wrong.push(`no sentence: ${strange.join(" | ")}`)
  return wrong.map((one) => `${one} (${err.trim()})`)
}
