import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { link, mkdir, open, rm } from "node:fs/promises"
import { dirname } from "node:path"

/**
 * Makes a folder and its parents, readable by this user only. Not with mkdir's own `recursive`, which never returns on
 * a file system such as /proc, where folders exist but none can be made.
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

/**
 * Returns once a file or a folder is on the disk. A file that was created, renamed or removed survives a power cut only once
 * its folder is there too.
 */
export async function syncToDisk(path: string): Promise<void> {
  const opened = await open(path, "r")
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

/**
 * Makes a file, readable by this user only. The name appears once the whole content is on the disk. An existing file is
 * never replaced: then this fails with EEXIST.
 */
export async function makeFile(path: string, write: (unfinished: string) => Promise<void>): Promise<void> {
  // `link` refuses it too. But until then, what is written may have taken minutes.
  if (existsSync(path)) throw Object.assign(new Error(`there is a file ${path} already`), { code: "EEXIST" })
  const unfinished = `${path}.unfinished-${randomBytes(6).toString("hex")}`
  try {
    await write(unfinished)
    await link(unfinished, path)
  } finally {
    // A failure here must not hide the reason why `write` failed.
    await rm(unfinished, { force: true }).catch(() => undefined)
  }
  await syncToDisk(dirname(path))
}

/** Returns once the content is on the disk, not just in the system's buffers. */
export async function writeThrough(path: string, content: string): Promise<void> {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** In a form that every file system accepts, and that sorts by time. */
export function timeStamp(at = new Date()): string {
  return at.toISOString().replaceAll(/[-:]|\.\d+/g, "")
}
