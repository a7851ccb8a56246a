import type { Environment } from "@envkeep/contract"
import { useState } from "react"
import type { Inheritance } from "../../../lib/inheritance.ts"
import { ConfirmDialog } from "../../../ui/ConfirmDialog.tsx"
import { Dialog } from "../../../ui/Dialog.tsx"
import { useIsGuardAsking, useUnsaved } from "../../../ui/unsaved.tsx"
import { RawForm } from "./RawForm.tsx"
import "./raw.css"

interface RawDialogProps {
  environment: Environment
  inheritance: Inheritance
  opened: boolean
  onClose: () => void
}

export function RawDialog({ environment, inheritance, opened, onClose }: RawDialogProps) {
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
        // A stray click must not discard a page of text.
        closesOutside={false}
        covered={asking || covered || guardAsking}
        fillsPhone
      >
        <RawForm
          environment={environment}
          inheritance={inheritance}
          // A late update while the dialog closes is about discarded edits.
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
        The text has unsaved edits.
      </ConfirmDialog>
    </>
  )
}
