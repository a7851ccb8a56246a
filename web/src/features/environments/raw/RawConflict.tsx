import type { Environment } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { useState } from "react"
import { Dialog } from "../../../ui/Dialog.tsx"
import { useOnce } from "../../../ui/use-once.ts"
import { changesBetween, sentencesOf } from "./raw-changes.ts"

interface RawConflictProps {
  before: Environment
  /** The state that somebody else made meanwhile; nothing when there is none to ask about. */
  now: Environment | undefined
  onLoad: (now: Environment) => void
  onSaveAnyway: (now: Environment) => Promise<unknown>
  onClose: () => void
}

/** Asks whose state to keep, after the environment was changed elsewhere while its text was open here. */
export function RawConflict({ before, now, onLoad, onSaveAnyway, onClose }: RawConflictProps) {
  // Kept while the dialog fades out, so that its words do not vanish before it does.
  const [shown, setShown] = useState(now)
  if (now !== undefined && now !== shown) setShown(now)
  const [saveAnyway, pending] = useOnce(async () => now && onSaveAnyway(now))
  const told = shown && sentencesOf(changesBetween(before.collectionItems, shown.collectionItems))
  return (
    <Dialog opened={now !== undefined} onClose={onClose} title="Changed meanwhile" size="lg" centered inFront>
      <Text size="sm" className="breaks-anywhere">
        Somebody changed this environment after you opened it. {told} Nothing was saved yet.
      </Text>
      <Text size="sm" c="dimmed" mt="xs">
        Loading the new state discards your text. Saving anyway makes your text count, and undoes those changes.
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
