import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { installSystemPackages } from "./packages.ts"

/** The path of nginx, which is installed from the system's packages if needed; undefined if that is not possible. */
export function findNginx(): string | undefined {
  const paths = ["/usr/sbin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx", "/usr/bin/nginx"]
  const found = () => paths.find((path) => existsSync(path))
  return found() ?? (install() ? found() : undefined)
}

/** Some systems start a service when they install it. Stops it again unless it was running before. */
function install(): boolean {
  const before = servicePid()
  const installed = installSystemPackages(["nginx-light"])
  const after = servicePid()
  if (after !== undefined && after !== before) process.kill(after, "SIGTERM")
  return installed
}

function servicePid(): number | undefined {
  const file = "/run/nginx.pid"
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0
  return pid > 0 && spawnSync("kill", ["-0", String(pid)]).status === 0 ? pid : undefined
}
