import type { KeyObject } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { verdictLines } from "../audit/verdict-lines.ts"
import { type AuditVerdict, verifyAudit } from "../audit/verify.ts"
import { type Head, inWords } from "../backup/format.ts"
import { readBackup } from "../backup/read.ts"
import type { Restored, RestoreSource } from "../backup/refusals.ts"
import { restorePostgres } from "../backup/restore-postgres.ts"
import { restoreSqlite } from "../backup/restore-sqlite.ts"
import type { Config } from "../config.ts"
import { migrations } from "../db/migrations/list.ts"
import { inSnapshot } from "../db/transaction.ts"
import { fittingRootKeys, keptKeyPrefix, readRootKey } from "../keys/root-key.ts"
import { type Evidence, isEmpty, maxEvidenceCollections, opensCanary, readEvidence } from "../keys/root-key-evidence.ts"
import { vaultOf } from "../keys/vault.ts"
import { toStartError } from "../start/to-start-error.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { type CommandContext, defineCommand, MisuseError } from "./command.ts"

/** Replaces the store of the settings by a backup. Everything that can be checked is checked before it is touched. */
export const restoreCommand = defineCommand({
  name: "restore",
  summary: "Replaces the store by a backup. Stop the server first",
  usage: "npm run restore -- <file> [--force]",
  help: ["<file>   the backup", "--force  replaces a store that holds accounts"],
  options: { force: { type: "boolean", default: false } },
  async run(context, { force }, [name, ...rest]) {
    if (name === undefined || rest.length > 0) throw new MisuseError()
    const file = context.absolutePath(name)
    const { head, rows, evidence } = await inspect(file)
    const vault = vaultOf(await keysOf(context.config, evidence))
    const { leftOut, aside, leftover, unconfirmed } = await replaceStore(context, { file, vault, force })
    const out = [
      `Restored ${inWords(rows)} from ${file}, taken at ${head.takenAt}`,
      "Passwords and API keys are those of that moment; everyone has to log in again",
    ]
    if (aside !== undefined) out.push(`The store that was there before is kept as ${aside}`)
    const err = leftOut > 0 ? [`${leftOut} rows of the backup belonged to nothing, and were left out`] : []
    if (leftover !== undefined) err.push(`The folder ${leftover} could not be deleted. It is no longer needed`)
    if (unconfirmed !== undefined) err.push(mayBeLost(context.config.dataDir, unconfirmed))
    const exitCode = unconfirmed === undefined ? 0 : exitCodes.cannotWrite
    return { exitCode, out, err: [...err, ...(await auditFaults(context, head))] }
  },
})

const mayBeLost = (dataDir: string, code: string) =>
  `The disk did not confirm that the restored store is in ${dataDir} (${code}). It is there now, but a power cut could undo that: check the disk, then restore once more with --force`

/** The events must prove themselves, and be those whose head the backup names. What was restored stays, because it may be evidence. */
async function auditFaults(context: CommandContext, head: Head): Promise<string[]> {
  try {
    const verdict = await verdictOn(context, head)
    return verdict.isIntact ? [] : verdictLines(verdict)
  } catch (error) {
    // The store was replaced all the same, and people must read where the one before is.
    const readable = await toStartError(error, context.config)
    const reason = readable instanceof Error ? readable.message : String(readable)
    return [`The audit trail could not be checked: ${reason}`]
  }
}

async function verdictOn({ config, openStore }: CommandContext, { audit }: Head): Promise<AuditVerdict> {
  const { db } = await openStore({ readOnly: true })
  const rootKeys = await fittingRootKeys(config, await readEvidence(db), "store")
  return inSnapshot(db, (snapshot) => verifyAudit(snapshot, rootKeys, audit && [audit]))
}

async function replaceStore({ config, openStore }: CommandContext, source: RestoreSource): Promise<Restored> {
  if (config.databaseUrl === undefined) return restoreSqlite(config.dataDir, source)
  const { db } = await openStore()
  return restorePostgres(db, source)
}

/** Reads the whole backup once, so that a damaged one is refused while nothing has been touched. */
async function inspect(file: string) {
  const evidence: Evidence = { canary: undefined, bridge: undefined, collections: [] }
  const { head, rows } = await readBackup(file, {
    onHead: ({ migrations: then }) => {
      const unknown = then.find((name) => !migrations.some((migration) => migration.name === name))
      if (unknown === undefined) return
      throw new StartError(
        exitCodes.configuration,
        `The backup ${file} was taken by a newer version (${unknown}). Restore it with that version`,
      )
    },
    onRow(table, row) {
      if (table === "canary") evidence.canary = row["sealed"] as Uint8Array
      if (table === "root_key_bridge") {
        evidence.bridge = { next: row["next"] as Uint8Array, previous: row["previous"] as Uint8Array }
      }
      if (table === "collection" && evidence.collections.length < maxEvidenceCollections) {
        evidence.collections.push({ id: Number(row["id"]), wrapped: row["data_key"] as Uint8Array })
      }
    },
  })
  if (isEmpty(evidence)) throw new StartError(exitCodes.failure, `The backup ${file} is of a store that was never used`)
  return { head, rows, evidence }
}

async function keysOf(config: Config, evidence: Evidence): Promise<KeyObject[]> {
  try {
    return await fittingRootKeys(config, evidence, "backup")
  } catch (error) {
    const kept = await keptKeyThatOpens(config.dataDir, evidence)
    if (kept === undefined) throw error
    throw new StartError(
      exitCodes.configuration,
      `This backup is from before the root key was replaced, and ${kept} is its key: put that in ENVKEEP_ROOT_KEY, for the restored store too. Nothing was changed`,
    )
  }
}

async function keptKeyThatOpens(dataDir: string, evidence: Evidence): Promise<string | undefined> {
  const names = await readdir(dataDir).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(keptKeyPrefix))) {
    const key = await readRootKey(join(dataDir, name)).catch(() => undefined)
    if (key !== undefined && opensCanary([key], evidence)) return join(dataDir, name)
  }
  return undefined
}
