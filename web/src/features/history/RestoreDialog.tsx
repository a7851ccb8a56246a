import type { EnvironmentSummary } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { useMemo, useState } from "react"
import { Dialog } from "../../ui/Dialog.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useLast } from "../../ui/use-last.ts"
import { ownChanges, reversed } from "./changes.ts"
import { useChanges, useReloadHistory, useRestore } from "./queries.ts"
import { RestorePreview } from "./RestorePreview.tsx"

interface RestoreDialogProps {
  environment: EnvironmentSummary
  /** The revision to restore. Undefined closes the dialog. */
  revision: number | undefined
  onClose: () => void
}

export function RestoreDialog({ environment, revision, onClose }: RestoreDialogProps) {
  const shown = useLast(revision)
  return (
    <Dialog opened={revision !== undefined} onClose={onClose} title={`Restore revision ${shown}?`} size="xl" fillsPhone>
      {shown !== undefined && <RestoreForm key={shown} environment={environment} revision={shown} onClose={onClose} />}
    </Dialog>
  )
}

function RestoreForm({ environment, revision, onClose }: RestoreDialogProps & { revision: number }) {
  // While it is being restored, the preview stays that of the state before.
  const [held, setHeld] = useState<number>()
  const current = held ?? environment.revision
  const { data, error, refetch } = useChanges(environment.id, current, revision)
  const restore = useRestore(environment.collectionId)
  const reload = useReloadHistory(environment.collectionId)
  const changes = useMemo(() => reversed(ownChanges(data?.changes ?? [])), [data])

  async function confirm(note: string) {
    setHeld(current)
    const done = await restore({ id: environment.id, revision, current, note })
    if (done !== undefined) return onClose()
    // It may have been changed since, so there is a new preview to check.
    await reload()
    setHeld(undefined)
  }
  if (error !== null) {
    return <LoadFailed title="This cannot be restored" message={error.message} onRetry={refetch} />
  }
  if (data === undefined) return <Spinner />
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm" className="breaks-anywhere">
        <strong>{environment.name}</strong> will hold what it held at revision {revision}. Apps that read it get these
        values within a second. This is a new revision: nothing is lost, and it can be undone.
        {environment.baseId !== null && " What it inherits stays as it is now."}
      </Text>
      <RestorePreview
        changes={changes}
        none="Nothing would change: the environment holds exactly this."
        onRestore={confirm}
        onClose={onClose}
      />
    </>
  )
}
