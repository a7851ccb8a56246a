import { type Conflict, type Environment, environments } from "@envkeep/contract"
import { useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { whoAndWhen } from "../../lib/who-and-when.ts"
import { NameForm } from "../../ui/NameForm.tsx"
import { useRenameEnvironment } from "./queries.ts"

/** In the place of the head of the environment. */
export function RenameEnvironment({ environment, onClose }: { environment: Environment; onClose: () => void }) {
  const { id, name, revision, collectionId } = environment
  const form = useCallForm(environments.rename, { id, name, revision }, { live: true })
  const rename = useRenameEnvironment(collectionId)
  const [conflict, setConflict] = useState<Conflict>()
  const field = form.field("name")

  function save() {
    setConflict(undefined)
    return form.send((input, onRefused) =>
      rename(input, (sentence, [first], error) => {
        onRefused(sentence, [], error)
        if (first === undefined) return
        setConflict(first)
        // Saved again, it replaces the name that is shown now.
        form.field("revision").onChange(first.revision)
      }),
    )
  }
  const renamed = conflict && `${whoAndWhen("Renamed", conflict)} to ${conflict.name}. Save again to use your name.`
  return (
    <NameForm
      name={name}
      field={{ ...field, error: renamed ?? field.error }}
      save={save}
      onSaved={onClose}
      onCancel={onClose}
    />
  )
}
