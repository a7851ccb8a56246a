import { doctorCommand } from "@envkeep/server/cli/doctor.ts"
import { openDatabase } from "@envkeep/server/db/open.ts"
import { callCommand, verifyAudit } from "../commands.ts"

/** What the doctor and the check of the audit trail find wrong, without a start before them. */
export async function faultsOfStore(dataDir: string): Promise<string[]> {
  const location = { dataDir, databaseUrl: undefined }
  const checks = {
    doctor: () => callCommand(doctorCommand, location),
    "verify-audit": () => verifyAudit(location),
  }
  const wrong: string[] = []
  for (const [name, check] of Object.entries(checks)) {
    const { exitCode, out, err } = await check().catch((error: Error) => ({
      exitCode: -1,
      out: [],
      err: [error.message],
    }))
    if (exitCode === 0) continue
    wrong.push(
      `${name} exits with ${exitCode}: ${[...out.filter((line) => !line.startsWith("ok: ")), ...err].join(" | ")}`,
    )
  }
  return wrong
}

/** The names of all collections, which say what store this is. */
export async function collectionsOf(dataDir: string): Promise<string> {
  const { db } = await openDatabase({ dataDir, readOnly: true })
  try {
    const rows = await db.selectFrom("collection").select("name").orderBy("name").execute()
    return rows.map(({ name }) => name).join()
  } finally {
    await db.destroy()
  }
}
