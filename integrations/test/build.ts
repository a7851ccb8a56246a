import { spawnSync } from "node:child_process"
import { join } from "node:path"

/** The tests run the built file of the MCP server, which is what agents start. */
export function setup(): void {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "../mcp/build.ts")], { stdio: "inherit" })
  if (status !== 0) throw new Error("the MCP server could not be built")
}
