import { randomBytes } from "node:crypto"
import { promises as fs } from "node:fs"
import { basename, dirname, join } from "node:path"

/** Atomic, and readable by its owner only: other programs see the old file or the complete new one, even after a power cut. */
export async function writeFile(file: string, data: string | Buffer): Promise<void> {
  // A symbolic link stays a link, and the file it points to is replaced.
  const target = await fs.realpath(file).catch(() => file)
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString("hex")}`)
  const handle = await fs.open(temporary, "wx", 0o600)
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
