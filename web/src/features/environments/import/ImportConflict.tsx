import type { Environment } from "@envkeep/contract"
import { Alert } from "@mantine/core"
import { whoAndWhen } from "../../../lib/who-and-when.ts"
import { useRevision } from "../../items/queries.ts"
import { changesBetween, describeChanges, isUnchanged } from "../changes-between.ts"

/** Names what others have changed since the import was opened. */
export function ImportConflict({ opened, now }: { opened: Environment; now: Environment }) {
  const changes = changesBetween(opened.collectionItems, now.collectionItems)
  const hasChanged = !isUnchanged(changes)
  const change = useRevision(now.id, now.revision, hasChanged)
  if (!hasChanged) return null
  return (
    <Alert role="status" className="import-note breaks-anywhere" mt="sm" title={whoAndWhen("Changed", change)}>
      {describeChanges(changes)} The preview compares with what is stored now.
    </Alert>
  )
}
