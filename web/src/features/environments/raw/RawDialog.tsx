import type { Environment } from "@envkeep/contract"
import { useState } from "react"
import { ConfirmDialog } from "../../../ui/ConfirmDialog.tsx"
import { Dialog } from "../../../ui/Dialog.tsx"
import { useIsGuardAsking, useUnsaved } from "../../../ui/unsaved.tsx"
import { RawForm } from "./RawForm.tsx"
import "./raw.css"

interface RawDialogProps {
  environment: Environment
  opened: boolean
  onClose: () => void
}

export function RawDialog({ environment, opened, onClose }: RawDialogProps) {
  const [edited, setEdited] = useState(false)
  const [covered, setCovered] = useState(false)
  const [asking, setAsking] = useState(false)
  useUnsaved(opened && edited)
  const guardAsking = useIsGuardAsking()

  function close() {
    setAsking(false)
    setEdited(false)
    onClose()
  }
  function leave() {
    if (edited) setAsking(true)
    else close()
  }
  return (
    <>
      <Dialog
        opened={opened}
        onClose={leave}
        title={`Raw values of ${environment.name}`}
        size="xl"
        // A click beside the dialog is too easily made to throw away a page of text.
        closesOutside={false}
        covered={asking || covered || guardAsking}
        fillsPhone
      >
        <RawForm
          environment={environment}
          // On its way out it may still settle; those edits were discarded, and are none of the next text's.
          onEdited={(now) => setEdited(now && opened)}
          onCovered={setCovered}
          onCancel={leave}
          onSaved={close}
        />
      </Dialog>
      <ConfirmDialog
        opened={asking}
        title="Discard your changes?"
        confirm="Discard"
        cancel="Keep editing"
        onConfirm={async () => close()}
        onClose={() => setAsking(false)}
      >
        The text has edits that are not saved yet.
      </ConfirmDialog>
    </>
  )
}
