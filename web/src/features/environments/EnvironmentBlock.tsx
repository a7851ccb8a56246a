import { type Environment, environments } from "@envkeep/contract"
import { useDisclosure } from "@mantine/hooks"
import { useId } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { NameForm } from "../../ui/NameForm.tsx"
import { useUnsaved } from "../../ui/unsaved.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useRefocus } from "../../ui/use-refocus.ts"
import { ItemList } from "../items/ItemList.tsx"
import { useDrafts } from "../items/use-drafts.ts"
import { EnvironmentHeader } from "./EnvironmentHeader.tsx"
import { useRenameEnvironment } from "./queries.ts"

interface EnvironmentBlockProps {
  environment: Environment
  /** Whether its toggle takes the focus now. */
  focused: boolean
  onFocused: () => void
  onDeleted: () => void
}

/** One environment, collapsed or expanded. Unsaved edits of its rows survive a collapse. */
export function EnvironmentBlock({ environment, focused, onFocused, onDeleted }: EnvironmentBlockProps) {
  const { id, name, collectionId, collectionItems: items } = environment
  const [expanded, { toggle: onToggle }] = useDisclosure(false)
  const [editing, edit] = useDisclosure(false)
  const toggle = useFocusWhen<HTMLButtonElement>(focused, onFocused)
  const editName = useRefocus(editing)
  const drafts = useDrafts(environment)
  const content = useId()
  useUnsaved(drafts.wouldBeLost)

  return (
    <section className="card environment" aria-label={name}>
      {editing ? (
        <div className="environment__head">
          <RenameForm environment={environment} onClose={edit.close} />
        </div>
      ) : (
        <EnvironmentHeader
          environment={environment}
          unsaved={drafts.unsaved}
          expanded={expanded}
          controls={content}
          toggle={toggle}
          editName={editName}
          onToggle={onToggle}
          onEditName={edit.open}
          onDeleted={onDeleted}
        />
      )}
      <div id={content} className="environment__content" hidden={!expanded}>
        {expanded && <ItemList environmentId={id} collectionId={collectionId} items={items} drafts={drafts} />}
      </div>
    </section>
  )
}

function RenameForm({ environment, onClose }: { environment: Environment; onClose: () => void }) {
  const { id, name, collectionId } = environment
  const form = useCallForm(environments.rename, { id, name }, { live: true })
  const rename = useRenameEnvironment(collectionId)
  return (
    <NameForm
      name={name}
      field={form.field("name")}
      save={() => form.send(rename)}
      onSaved={onClose}
      onCancel={onClose}
    />
  )
}
