import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

const built = ["server/dist/main.js", "web/dist/index.html", "web/dist/landing-open.html", "web/dist/envkeep.tgz"]
const sources = ["contract/src", "formats/src", "server/src", "web", "client", "bench/results.md", "package-lock.json"]
const ignored = new Set(["dist", "node_modules"])

/** True if everything is built and no source has changed since. */
export function isBuilt(root: string): boolean {
  const made = built.map((file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return Math.min(...made) >= Math.max(...sources.map((source) => newest(join(root, source))))
}

function newest(path: string): number {
  const info = statSync(path)
  if (!info.isDirectory()) return info.mtimeMs
  const inside = readdirSync(path).filter((name) => !ignored.has(name))
  return Math.max(0, ...inside.map((name) => newest(join(path, name))))
}
