import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../config.ts"
import { type OpenDatabase, sqliteFile } from "../db/open.ts"
import { inSnapshot } from "../db/transaction.ts"
import { attempt, type Finding, fault, ok } from "../doctor/finding.ts"
import { checkFolder } from "../doctor/folder.ts"
import { checkRootKeys } from "../doctor/keys.ts"
import { checkRows } from "../doctor/rows.ts"
import { checkClock, checkCounts, checkIntegrity, checkSchema } from "../doctor/store.ts"
import { openStore } from "../start/open-store.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import { toStartError } from "../start/to-start-error.ts"
import type { CommandResult } from "./admin.ts"

export const doctorUsage = "usage: npm run doctor"

/** Looks at everything and changes nothing, beside a running server or where none will start. */
export async function doctorCommand(config: Config, args: string[]): Promise<CommandResult> {
  if (args.length > 0) return { exitCode: exitCodes.misuse, out: [], err: [doctorUsage] }
  const findings = [
    ok("The settings are valid"),
    ...(await attempt("The data folder", () => checkFolder(config))),
    ...(await attempt("The store", () => checkStore(config))),
  ]
  const faults = findings.filter(({ kind }) => kind === "fault")
  const warnings = findings.filter(({ kind }) => kind === "warning").length
  const end = faults.length > 0 ? `${counted(faults.length, "fault")}, ${counted(warnings, "warning")}` : "All is well"
  return {
    exitCode: faults[0]?.exitCode ?? 0,
    out: [...findings.map(({ kind, sentence }) => `${kind}: ${sentence}`), end],
    err: [],
  }
}

async function checkStore(config: Config): Promise<Finding[]> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, sqliteFile))) {
    return [fault(`There is no store in ${config.dataDir} yet. Start Envkeep once first`)]
  }
  const store = await openStore(config, { readOnly: true })
  try {
    return await checkOpened(store, config)
  } catch (error) {
    throw toStartError(error, config)
  } finally {
    await store.db.destroy()
  }
}

async function checkOpened({ db, engine }: OpenDatabase, config: Config): Promise<Finding[]> {
  const integrity = await attempt("The store's file", () => unlessDamaged(config, () => checkIntegrity(db, engine)))
  const schema = await attempt("The schema", () => unlessDamaged(config, () => checkSchema(db)))
  if (schema.some(({ kind }) => kind === "fault")) return [...integrity, ...schema]
  const { findings: keys, rootKeys } = await checkRootKeys(db, config).catch((error: Error) => ({
    findings: [error instanceof StartError ? fault(error.message, error.exitCode) : fault(error.message)],
    rootKeys: [],
  }))
  const rows =
    rootKeys.length > 0
      ? await attempt("The rows", () => inSnapshot(db, (snapshot) => checkRows(snapshot, rootKeys)))
      : [fault("Without the root key it cannot be known whether the rows open")]
  return [
    ...integrity,
    ...schema,
    ...keys,
    ...rows,
    ...(await attempt("The counts", () => inSnapshot(db, checkCounts))),
    ...(await attempt("The clock", () => checkClock(db, engine))),
  ]
}

/** In the words, and with the exit code, with which the server would refuse it. */
async function unlessDamaged(config: Config, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    throw toStartError(error, config)
  }
}

const counted = (count: number, one: string) => `${count} ${count === 1 ? one : `${one}s`}`
