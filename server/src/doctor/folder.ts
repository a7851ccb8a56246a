import type { Stats } from "node:fs"
import { access, constants, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { backupFolder } from "../backup/beforehand.ts"
import type { Config } from "../config.ts"
import { sqliteFile } from "../db/open.ts"
import { diskOf, embeddedBytes } from "../db/store-health.ts"
import { rootKeyFile } from "../keys/root-key.ts"
import { type Finding, fault, ok, warning } from "./finding.ts"

/** With less than this, the next few saves may fail. */
const minFreeBytes = 32 * 1024 * 1024

export async function checkFolder({
  dataDir,
  databaseUrl,
}: Pick<Config, "dataDir" | "databaseUrl">): Promise<Finding[]> {
  const names = await readdir(dataDir).catch(() => undefined)
  if (names === undefined) {
    return databaseUrl === undefined ? [fault(`There is no data folder ${dataDir}`)] : []
  }
  const findings: Finding[] = []
  const canWrite = await access(dataDir, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!canWrite) findings.push(fault(`The data folder ${dataDir} cannot be written by this user`))
  const folder = await stat(dataDir)
  const backups = await namesIn(join(dataDir, backupFolder))
  if (backups === undefined) {
    findings.push(
      fault(`The folder ${join(dataDir, backupFolder)} cannot be read by this user, so no upgrade can start`),
    )
  }
  const ofStore = names.filter((name) => name.startsWith(rootKeyFile) || name.startsWith(sqliteFile))
  for (const name of ofStore) findings.push(...checkMode(join(dataDir, name), await stat(join(dataDir, name))))
  for (const name of [...ofStore, ...names.filter((one) => one === backupFolder), ...backupPaths(backups)]) {
    findings.push(...checkOwner(join(dataDir, name), await stat(join(dataDir, name)), folder))
  }
  if (findings.length === 0) findings.push(ok(`The data folder ${dataDir} can be written, and its files are private`))
  for (const name of [...names, ...backupPaths(backups)].filter(isUnfinished)) {
    findings.push(
      warning(
        `${join(dataDir, name)} was left by a command or a start that was ended early, and can be deleted unless one is running`,
      ),
    )
  }
  return [...findings, await checkDisk(dataDir)]
}

/** Nothing in a folder that is not there. Undefined for one that this user may not read. */
async function namesIn(path: string): Promise<string[] | undefined> {
  return readdir(path).catch(({ code }: NodeJS.ErrnoException) => (code === "EACCES" ? undefined : []))
}

function backupPaths(names: readonly string[] = []): string[] {
  return names.map((name) => join(backupFolder, name))
}

function checkMode(path: string, { mode }: Stats): Finding[] {
  return (mode & 0o077) === 0 ? [] : [fault(`The file ${path} can be read by others: run chmod 600 on it`)]
}

/** No fault: the server may be root's too. */
function checkOwner(path: string, found: Stats, folder: Stats): Finding[] {
  if (found.uid !== 0 || folder.uid === 0) return []
  const what = found.isDirectory() ? "folder" : "file"
  const owners = `The ${what} ${path} belongs to user 0, and the data folder to user ${folder.uid}`
  const advice = `if the server runs as that user, run chown ${folder.uid}:${folder.gid} on the ${what}`
  return [warning(`${owners}: ${advice}`)]
}

const isUnfinished = (name: string) => name.startsWith(".restore-") || name.includes(".unfinished-")

async function checkDisk(dataDir: string): Promise<Finding> {
  const { freeBytes } = await diskOf(dataDir)
  const usedBytes = await embeddedBytes(dataDir)
  const sentence = `The disk of ${dataDir} has ${megabytes(freeBytes)} free; the embedded store takes ${megabytes(usedBytes)}`
  if (freeBytes < Math.max(minFreeBytes, usedBytes))
    return fault(`${sentence}: too little for a backup or for bringing it up to date`)
  return ok(sentence)
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toLocaleString("en-US", { maximumFractionDigits: 1 })} MiB`
}
