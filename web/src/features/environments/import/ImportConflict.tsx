import type { Environment } from "@envkeep/contract"
import { Alert } from "@mantine/core"
import { WhoAndWhen } from "../../../lib/WhoAndWhen.tsx"
import { useRevision } from "../../history/queries.ts"
import { changesBetween, describeChanges, isUnchanged } from "../changes-between.ts"

/** Names what others have changed since the import was opened. */
export function ImportConflict({ opened, now }: { opened: Environment; now: Environment }) {
  const changes = changesBetween(opened.collectionItems, now.collectionItems)
  const hasChanged = !isUnchanged(changes)
  const change = useRevision(now.id, now.revision, hasChanged)
  if (!hasChanged) return null
  return (
    <Alert
      role="status"
      className="import-conflict breaks-anywhere"
      title={<WhoAndWhen what="Changed" known={change} />}
    >
      {describeChanges(changes)} The preview compares with what is stored now.
    </Alert>
  )
}
