import { randomBytes } from "node:crypto"
import { link, mkdir, open, rm } from "node:fs/promises"
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

/** A name that was given or taken back in a folder survives a power cut only once the folder is on the disk too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Makes a file for this user alone. It appears under its name whole and on the disk, or not at all, and never in place of
 * one that is there already: then this fails with EEXIST.
 */
export async function makeFile(path: string, write: (unfinished: string) => Promise<void>): Promise<void> {
  const unfinished = `${path}.unfinished-${randomBytes(6).toString("hex")}`
  try {
    await write(unfinished)
    await link(unfinished, path)
  } finally {
    // What went wrong before is what is told.
    await rm(unfinished, { force: true }).catch(() => undefined)
  }
  await syncFolder(dirname(path))
}

/** Written through to the disk before the name is known to anybody. */
export async function writeThrough(path: string, content: string): Promise<void> {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** In a form that every file system takes, and that sorts by time. */
export function timeStamp(at = new Date()): string {
  return at.toISOString().replaceAll(/[-:]|\.\d+/g, "")
}
