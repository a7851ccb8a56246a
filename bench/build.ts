import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isBuilt } from "../scripts/build-state.ts"

const root = join(import.meta.dirname, "..")

/** We measure the product as users run it: built, from the current sources. */
export function buildProduct(): void {
  if (!isBuilt(root)) run("scripts/build.ts")
  if (existsSync(join(root, "client/build.ts"))) run("client/build.ts")
}

function run(script: string): void {
  const built = spawnSync(process.execPath, [join(root, script)], { stdio: ["ignore", 2, 2] })
  if (built.status !== 0) throw new Error(`${script} failed`)
}
