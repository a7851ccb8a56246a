import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { installSystemPackages } from "./packages.ts"

/** nginx, installed or from the system's packages; nothing where it cannot be had. */
export function findNginx(): string | undefined {
  const paths = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx", "/usr/bin/nginx"]
  const found = () => paths.find((path) => existsSync(path))
  return found() ?? (install() ? found() : undefined)
}

/** Some systems start a service as they install it; what we did not find running does not stay running. */
function install(): boolean {
  const before = runningService()
  const installed = installSystemPackages(["nginx-light"])
  const after = runningService()
  if (after !== undefined && after !== before) process.kill(after, "SIGTERM")
  return installed
}

function runningService(): number | undefined {
  const file = "/run/nginx.pid"
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0
  return pid > 0 && spawnSync("kill", ["-0", String(pid)]).status === 0 ? pid : undefined
}
