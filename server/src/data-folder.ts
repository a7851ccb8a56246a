import { mkdir } from "node:fs/promises"
import { dirname } from "node:path"

/**
 * Makes a folder and those above it, for this user alone. Not by mkdir's own `recursive`, which never returns where a
 * file system shows folders but cannot make any, as /proc does.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EEXIST") return
    if (code !== "ENOENT" || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
}
