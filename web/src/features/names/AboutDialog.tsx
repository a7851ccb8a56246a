import type { About } from "@envkeep/contract"
import { useState } from "react"
import { Dialog } from "../../ui/Dialog.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { AboutForm } from "./AboutForm.tsx"
import { AboutText } from "./AboutText.tsx"
import { aboutOf, useAbouts, useNames } from "./queries.ts"
import "./names.css"

interface AboutDialogProps {
  collectionId: number
  /** Undefined closes the dialog. Empty asks for a name too. */
  name: string | undefined
  /** Shown instead of the stored kind, if it was chosen elsewhere. */
  kind?: About["kind"] | undefined
  canEdit: boolean
  onClose: () => void
}

/** What is known about a name, in all environments of the collection. */
export function AboutDialog({ collectionId, name, kind, canEdit, onClose }: AboutDialogProps) {
  // Kept while the dialog fades out, so that its text does not disappear first.
  const [shown, setShown] = useState({ name, kind })
  if (name !== undefined && (name !== shown.name || kind !== shown.kind)) setShown({ name, kind })
  if (shown.name === undefined) return null
  return (
    <Dialog
      opened={name !== undefined}
      onClose={onClose}
      title={shown.name === "" ? "Describe a name" : `About ${shown.name}`}
      size="lg"
      closesOutside={!canEdit}
      fillsPhone
    >
      <Content
        key={`${shown.kind} ${shown.name}`}
        collectionId={collectionId}
        name={shown.name}
        kind={shown.kind}
        canEdit={canEdit}
        onClose={onClose}
      />
    </Dialog>
  )
}

/** Not before the names are loaded: a form without what is stored would replace it. */
function Content({ collectionId, name = "", kind, canEdit, onClose }: AboutDialogProps) {
  const { data, error, refetch } = useNames(collectionId)
  const abouts = useAbouts(collectionId)
  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="The descriptions could not be loaded" message={error.message} onRetry={refetch} />
  }
  const about = aboutOf(abouts, name)
  const shown = { isDescribed: abouts.has(name), onClose }
  if (!canEdit) return <AboutText about={about} {...shown} />
  const initial = kind === undefined ? about : { ...about, kind }
  return <AboutForm collectionId={collectionId} initial={initial} {...shown} />
}
