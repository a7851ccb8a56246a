import { randomBytes } from "node:crypto"
import { promises as fs } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

/**
 * Atomic: other programs see the old file or the complete new one, even after a power cut. Readable by its owner only,
 * unless `mode` says otherwise.
 */
export async function writeFile(file: string, data: string | Buffer, mode = 0o600): Promise<void> {
  // A symbolic link stays a link, and the file it points to is replaced.
  const target = await fs.realpath(file).catch(() => linkedFile(file))
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString("hex")}`)
  const handle = await fs.open(temporary, "wx", mode)
  try {
    try {
      await handle.writeFile(data)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await fs.rename(temporary, target)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error
  }
}

/** What a link names that leads to no file yet, or else the file itself. */
async function linkedFile(file: string): Promise<string> {
  return resolve(dirname(file), await fs.readlink(file).catch(() => basename(file)))
}
