import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { type FileHandle, link, mkdir, open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { giveToOwnerOf } from "./file-owner.ts"

/**
 * Makes a folder and its parents, readable by this user only: whose folder is around them does not matter, because a folder
 * of secrets is given to no one who was not meant to have them. Not with mkdir's own `recursive`, which never returns on
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
 * Makes a file. The name appears once the whole content is on the disk. An existing file is
 * never replaced: then this fails with EEXIST. If the disk does not confirm the name, this fails too, and the file stays
 * only where another process may use it already.
 */
export async function makeFile(
  path: string,
  write: (unfinished: string) => Promise<void>,
  { ifUnconfirmed }: { ifUnconfirmed: "keep" | "remove" },
): Promise<void> {
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
  try {
    await syncToDisk(dirname(path))
  } catch (error) {
    if (ifUnconfirmed === "remove") await rm(path, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Opens a new file, which only its owner can read: who owns one of `models`, or else the user of this process. */
export async function openNew(path: string, models: readonly string[]): Promise<FileHandle> {
  const file = await open(path, "wx", 0o600)
  try {
    await giveToOwnerOf(models, file)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Returns once the content is on the disk, not just in the system's buffers. */
export async function writeThrough(path: string, content: string, models: readonly string[]): Promise<void> {
  const file = await openNew(path, models)
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
