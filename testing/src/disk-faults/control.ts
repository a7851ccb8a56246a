import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { scratchFolder } from "../machine/scratch.ts"
import { faultLibrary } from "./library.ts"

/** As `disk-faults.c` numbers them. */
const numberOfKind = { none: 0, EIO: 1, ENOSPC: 2, "a short write": 3, "the end of the process": 4, "no locks": 5 }

export type FaultKind = keyof typeof numberOfKind

/** What is counted, and can fail. */
const classes = { nothing: 0, changes: 1, reads: 2 }
export type FaultClass = keyof typeof classes

export interface Fault {
  kind: FaultKind
  of: FaultClass
  /** Which of the counted calls fails. 0 for none. */
  at: number
}

/** Decides what fails in one folder, for the processes that are started with `env`, also while they run. */
export interface FaultControl {
  env: Record<string, string>
  /** Counts from now on. */
  set(fault: Fault): void
  /** How many calls have failed. */
  made(): number
  /** What was called, in order, such as "write envkeep.db-wal". Random parts of names are left out. */
  calls(): string[]
  remove(): Promise<void>
}

const wordBytes = 4
const words = 5
const madeAt = 4 * wordBytes

export async function faultControl(folder: string): Promise<FaultControl> {
  const own = await mkdtemp(join(scratchFolder, "envkeep-faults-"))
  const path = join(own, "control")
  writeFileSync(path, Buffer.alloc(words * wordBytes))
  const file = openSync(path, "r+")
  return {
    env: {
      LD_PRELOAD: faultLibrary(),
      DISK_FAULTS_FOLDER: folder,
      DISK_FAULTS_CONTROL: path,
      // The library sees calls of the C library only.
      UV_USE_IO_URING: "0",
    },
    set({ kind, of, at }) {
      const content = Buffer.alloc(words * wordBytes)
      for (const [index, word] of [numberOfKind[kind], classes[of], at].entries()) {
        content.writeUInt32LE(word, index * wordBytes)
      }
      writeSync(file, content, 0, content.length, 0)
    },
    made() {
      const word = Buffer.alloc(wordBytes)
      readSync(file, word, 0, wordBytes, madeAt)
      return word.readUInt32LE()
    },
    calls: () => readFileSync(`${path}.log`, "utf8").trim().split("\n").filter(Boolean).map(withoutRandom),
    async remove() {
      closeSync(file)
      await rm(own, { recursive: true, force: true })
    },
  }
}

function withoutRandom(line: string): string {
  return line
    .replace(/^\d+ /, "")
    .replace(/\d{8}T\d{6}Z/, "<time>")
    .replace(/(\.unfinished-|\.restore-)\w+/, "$1<random>")
}
