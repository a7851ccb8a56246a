import { adminCommand } from "./admin.ts"
import { backupCommand } from "./backup.ts"
import type { Command } from "./command.ts"
import { doctorCommand } from "./doctor.ts"
import { restoreCommand } from "./restore.ts"
import { rotateRootKeyCommand } from "./rotate-root-key.ts"
import { verifyAuditCommand } from "./verify-audit.ts"

/** Every command there is. A script of the same name in the top `package.json` runs it. */
export const commands: readonly Command[] = [
  adminCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
  rotateRootKeyCommand,
  verifyAuditCommand,
]
