import { type ChainHead, parseHead } from "../audit/encode.ts"
import { verdictLines } from "../audit/verdict-lines.ts"
import { type AuditVerdict, hasAudit, verifyAudit } from "../audit/verify.ts"
import { readBackup } from "../backup/read.ts"
import { appliedMigrations, refuseNewer } from "../db/migrator.ts"
import { inSnapshot } from "../db/transaction.ts"
import { fittingRootKeys } from "../keys/root-key.ts"
import { readEvidence } from "../keys/root-key-evidence.ts"
import { toStartError } from "../start/to-start-error.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { type CommandContext, defineCommand, MisuseError } from "./command.ts"
import { type CommandResult, success } from "./command-result.ts"

/** Not being able to check must not look like a broken trail, which is 1. */
const cannotRun = exitCodes.misuse

export const verifyAuditCommand = defineCommand({
  name: "verify-audit",
  summary: "Proves that no event of the audit trail was changed, moved or removed. Changes nothing",
  usage: "npm run verify-audit [-- --head <position>:<mac>] [-- --backup <file>]",
  help: [
    "--head <position>:<mac>  a head that was written down earlier must still be in the trail; can be repeated",
    "--backup <file>          the head in this backup must still be in the trail; can be repeated",
    "",
    "Exit code: 0 intact, 1 broken, 2 it could not be checked, 74 the file of the embedded store is damaged",
  ],
  options: {
    head: { type: "string", multiple: true, default: [] },
    backup: { type: "string", multiple: true, default: [] },
  },
  async run(context, { head: given, backup: files }, positionals) {
    if (positionals.length > 0) throw new MisuseError()
    const heads = given.map((text) => {
      const head = parseHead(text)
      if (head === undefined) throw new MisuseError()
      return head
    })
    try {
      for (const file of files) heads.push(...(await headOfBackup(context.absolutePath(file))))
      return report(await verify(context, heads))
    } catch (error) {
      const readable = await toStartError(error, context.config)
      if (!(readable instanceof StartError)) throw readable
      const isDamaged = readable.exitCode === exitCodes.damaged
      return { exitCode: isDamaged ? exitCodes.damaged : cannotRun, out: [], err: [readable.message] }
    }
  },
})

async function headOfBackup(file: string): Promise<ChainHead[]> {
  const { head } = await readBackup(file, {})
  return head.audit === undefined ? [] : [head.audit]
}

async function verify({ config, openStore }: CommandContext, heads: ChainHead[]): Promise<AuditVerdict> {
  const { db } = await openStore({ readOnly: true })
  refuseNewer(await appliedMigrations(db))
  if (!(await hasAudit(db))) {
    throw new StartError(cannotRun, "This store has no audit trail yet. Start Envkeep once first")
  }
  const rootKeys = await fittingRootKeys(config, await readEvidence(db), "store")
  return inSnapshot(db, (snapshot) => verifyAudit(snapshot, rootKeys, heads))
}

function report(verdict: AuditVerdict): CommandResult {
  const lines = verdictLines(verdict)
  return verdict.isIntact ? success(lines) : { exitCode: exitCodes.failure, out: lines, err: [] }
}
