import { readdir, readFile } from "node:fs/promises"
import { setPriority } from "node:os"

const threads = "/proc/self/task"
/** The name that Node's library gives to the threads that hash passwords, read files and look up names. */
const poolThread = "libuv-worker\n"
/** Gets what is left of a processor that others want too: with the highest value, a login could take seconds. */
const niceness = 15

/**
 * Hashing a password keeps a processor busy for as long as hundreds of reads take. With this, reads and other requests go
 * first, and logins wait. Only Linux has priorities for threads; elsewhere, all are equal.
 */
export async function putRequestsBeforeHashes(): Promise<void> {
  for (const id of await readdir(threads).catch(() => [])) {
    // A thread may have ended since.
    const name = await readFile(`${threads}/${id}/comm`, "utf8").catch(() => "")
    if (name === poolThread) setPriority(Number(id), niceness)
  }
}
