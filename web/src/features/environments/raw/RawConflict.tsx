import type { Environment } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { useState } from "react"
import { Dialog } from "../../../ui/Dialog.tsx"
import { useOnce } from "../../../ui/use-once.ts"
import { changesBetween, describeChanges } from "./raw-changes.ts"

interface RawConflictProps {
  before: Environment
  /** The newer state. Undefined when there is no conflict. */
  now: Environment | undefined
  onLoad: (now: Environment) => void
  onSaveAnyway: (now: Environment) => Promise<unknown>
  onClose: () => void
}

/** Asks which state to keep after the environment was changed elsewhere while its text was open. */
export function RawConflict({ before, now, onLoad, onSaveAnyway, onClose }: RawConflictProps) {
  // Kept while the dialog fades out, so that its text does not disappear first.
  const [shown, setShown] = useState(now)
  if (now !== undefined && now !== shown) setShown(now)
  const [saveAnyway, pending] = useOnce(async () => now && onSaveAnyway(now))
  const changes = shown && describeChanges(changesBetween(before.collectionItems, shown.collectionItems))
  return (
    <Dialog opened={now !== undefined} onClose={onClose} title="Changed elsewhere" size="lg" centered inFront>
      <Text size="sm" className="breaks-anywhere">
        This environment was changed after you opened it. {changes} Nothing has been saved yet.
      </Text>
      <Text size="sm" c="dimmed" mt="xs">
        Loading the new state discards your text. Saving anyway keeps your text and undoes those changes.
      </Text>
      <div className="raw-actions">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep editing
        </Button>
        <Button variant="default" onClick={() => now && onLoad(now)}>
          Load the new state
        </Button>
        <Button color="red" loading={pending} onClick={saveAnyway}>
          Save anyway
        </Button>
      </div>
    </Dialog>
  )
}
