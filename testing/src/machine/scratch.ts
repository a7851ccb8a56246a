import { existsSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

const inMemory = "/dev/shm"
const neededBytes = 4 * 1024 ** 3

/**
 * Where tests make the folders of their stores: in memory, if the machine has a file system there with enough room. A new
 * database takes a tenth of the time, and no test depends on how busy the disk is. What must reach a disk is measured in
 * the benchmarks.
 */
export const scratchFolder = hasRoom() ? inMemory : tmpdir()

function hasRoom(): boolean {
  if (!existsSync(inMemory)) return false
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize >= neededBytes
}
