import { spawnSync } from "node:child_process"

let updated = false

/** Installs packages of the operating system. This works on Debian and its derivatives, as root. */
export function installSystemPackages(names: string[]): boolean {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) return false
  const apt = (...args: string[]) =>
    spawnSync("apt-get", ["-qq", ...args], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    }).status === 0
  console.error(`installing ${names.join(", ")} from the system's packages`)
  if (!updated) updated = apt("update")
  return apt("install", "-y", "--no-install-recommends", ...names)
}
