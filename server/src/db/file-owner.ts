import { lchown, lstat, stat } from "node:fs/promises"

// Root may run a command, or the server, on the data folder of another user. What root makes there must be that user's, or
// the server of that user cannot read it. Root does not become that user instead: a command also reads and writes files
// that only root may, such as a backup in a folder of root's. SQLite itself gives its log the owner of the store's file.

const root = 0

/** A file or a folder, such as a `FileHandle`. */
interface Made {
  stat(): Promise<{ uid: number }>
  chown(uid: number, gid: number): Promise<void>
}

/**
 * If root has made this: gives it to who owns the first of `models` that is there and not root's. Pass the file that
 * it replaces, then the data folder. A folder of root's does not say who runs the server.
 */
export async function giveToOwnerOf(models: readonly string[], made: Made): Promise<void> {
  if ((await made.stat()).uid !== root) return
  for (const path of models) {
    const model = await stat(path).catch(() => undefined)
    if (model === undefined || model.uid === root) continue
    return made.chown(model.uid, model.gid).catch(ignoreRefusal)
  }
}

/** The same for a file or a folder that is closed. A symbolic link is not followed: it could name any file of root's. */
export function givePathToOwnerOf(models: readonly string[], path: string): Promise<void> {
  return giveToOwnerOf(models, { stat: () => lstat(path), chown: (uid, gid) => lchown(path, uid, gid) })
}

/** Root of a container may lack the right to give files away. It could write here before, and must still start. */
function ignoreRefusal(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPERM" && error.code !== "EINVAL") throw error
}

/** False if one of them is not there. */
export async function haveOneOwner(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
  return first !== undefined && first.uid === second?.uid
}
