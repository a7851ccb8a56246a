import { Button } from "@mantine/core"
import { PendingNote } from "../history/PendingNote.tsx"
import type { Drafts } from "../items/use-drafts.ts"

interface SaveAllProps {
  drafts: Drafts
  isSaving: boolean
  onSave: () => void
}

/** Saves all rows of an environment, with a note, if there is something to save. */
export function SaveAll({ drafts, isSaving, onSave }: SaveAllProps) {
  // A single edited row has its own button.
  const isOffered = drafts.unsaved > 1 || drafts.newRows.some(({ over }) => over === undefined)
  return (
    <>
      {drafts.wouldBeLost && <PendingNote note={drafts.note} onNote={drafts.setNote} />}
      {isOffered && (
        <Button className="environment__save-all" size="xs" loading={isSaving} onClick={onSave}>
          Save all
        </Button>
      )}
    </>
  )
}
