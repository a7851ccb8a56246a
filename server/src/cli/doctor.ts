import type { Config } from "../config.ts"
import type { Db } from "../db/schema.ts"
import { inSnapshot } from "../db/transaction.ts"
import { checkAudit } from "../doctor/audit.ts"
import { attempt, type Finding, fault, ok } from "../doctor/finding.ts"
import { checkFolder } from "../doctor/folder.ts"
import { checkHeader } from "../doctor/header.ts"
import { checkHistory } from "../doctor/history.ts"
import { checkRootKeys } from "../doctor/keys.ts"
import { checkRows } from "../doctor/rows.ts"
import { checkBases, checkClock, checkCounts, checkIntegrity, checkSchema } from "../doctor/store.ts"
import { toStartError } from "../start/to-start-error.ts"
import { StartError } from "../start-error.ts"
import { type CommandContext, defineCommand, MisuseError } from "./command.ts"

/** Checks everything and changes nothing, beside a running server or where none will start. */
export const doctorCommand = defineCommand({
  name: "doctor",
  summary: "Checks the settings, the data folder, the store and every row, and changes nothing",
  usage: "npm run doctor",
  options: {},
  async run(context, _, positionals) {
    if (positionals.length > 0) throw new MisuseError()
    const findings = [
      ok("The settings are valid"),
      ...(await attempt("The data folder", () => checkFolder(context.config))),
      ...(await attempt("The store", () => checkStore(context))),
    ]
    const faults = findings.filter(({ kind }) => kind === "fault")
    const warnings = findings.filter(({ kind }) => kind === "warning").length
    const end =
      faults.length > 0 ? `${counted(faults.length, "fault")}, ${counted(warnings, "warning")}` : "All is well"
    return {
      exitCode: faults[0]?.exitCode ?? 0,
      out: [...findings.map(({ kind, sentence }) => `${kind}: ${sentence}`), end],
      err: [],
    }
  },
})

async function checkStore({ config, openStore }: CommandContext): Promise<Finding[]> {
  const header = config.databaseUrl === undefined ? await checkHeader(config.dataDir) : []
  const { db } = await openStore({ readOnly: true })
  try {
    const integrity = await attempt("The store's file", () => asServerSays(config, () => checkIntegrity(db)))
    return [...header, ...integrity, ...(await checkContents(db, config))]
  } catch (error) {
    throw await toStartError(error, config)
  }
}

async function checkContents(db: Db, config: Config): Promise<Finding[]> {
  const schema = await attempt("The schema", () => asServerSays(config, () => checkSchema(db)))
  if (schema.some(({ kind }) => kind === "fault")) return schema
  const { findings: keys, rootKeys } = await checkRootKeys(db, config).catch((error: Error) => ({
    findings: [error instanceof StartError ? fault(error.message, error.exitCode) : fault(error.message)],
    rootKeys: [],
  }))
  // Not as of one moment: this takes as long as there are rows, and what an engine keeps for a snapshot grows with it.
  const rows =
    rootKeys.length > 0
      ? await attempt("The rows", () => checkRows(db, rootKeys))
      : [fault("Without the root key it cannot be known whether the rows open")]
  const audit =
    rootKeys.length > 0
      ? await attempt("The audit trail", () => inSnapshot(db, (one) => checkAudit(one, rootKeys)))
      : []
  return [
    ...schema,
    ...keys,
    ...rows,
    ...(await attempt("The history", () => checkHistory(db, rootKeys))),
    ...audit,
    ...(await attempt("The counts", () => inSnapshot(db, checkCounts))),
    ...(await attempt("The bases", () => inSnapshot(db, checkBases))),
    ...(await attempt("The clock", () => checkClock(db))),
  ]
}

/** A damaged store gets the sentence and the exit code with which the server refuses it. */
async function asServerSays(config: Config, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    throw await toStartError(error, config)
  }
}

const counted = (count: number, one: string) => `${count} ${count === 1 ? one : `${one}s`}`
