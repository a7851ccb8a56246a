export const isRoot = process.getuid?.() === 0

/** No account of the machine needs to have this number. */
const otherUser = 54_321

/** Who runs the server while these tests are root. Only root can be two users, so elsewhere it is the user of the tests. */
export const serverUser = isRoot
  ? {
      uid: otherUser,
      gid: otherUser,
      wrapper: ["setpriv", `--reuid=${otherUser}`, `--regid=${otherUser}`, "--clear-groups"],
    }
  : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, wrapper: [] }

if (!isRoot) {
  console.error(
    "these tests are not run as root: they show only that commands of the server's own user leave it its files",
  )
}
