import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { bundleServer } from "../../scripts/bundle-server.ts"

declare module "vitest" {
  interface ProvidedContext {
    serverMain: string
    /** Where Node keeps what it has compiled of the bundle, which is a quarter of the CPU time of a start. */
    compiledServer: string
  }
}

/**
 * Bundles the server once for the whole test run, as `npm run build` does. Tests start it some 170 times, and from source
 * each start costs half a second more.
 */
export async function setup(project: TestProject): Promise<() => void> {
  // Beside the packages, because they are found from there.
  const cache = join(import.meta.dirname, "../../node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "envkeep-server-"))
  // Some tests run it as another user.
  chmodSync(folder, 0o755)
  await bundleServer(join(folder, "server/dist"))
  project.provide("serverMain", join(folder, "server/dist/main.js"))
  project.provide("compiledServer", join(folder, "compiled"))
  return () => rmSync(folder, { recursive: true })
}
