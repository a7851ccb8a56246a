import type { Environment } from "@envkeep/contract"
import { useDisclosure } from "@mantine/hooks"
import { useId } from "react"
import { NameForm } from "../../ui/NameForm.tsx"
import { useUnsaved } from "../../ui/unsaved.tsx"
import { ItemList } from "../items/ItemList.tsx"
import { useDrafts } from "../items/use-drafts.ts"
import { EnvironmentHeader } from "./EnvironmentHeader.tsx"
import { useRenameEnvironment } from "./queries.ts"
import "./environments.css"

/** One environment: collapsed or expanded, its name shown or being edited. Edits of its rows outlive a collapse. */
export function EnvironmentBlock({ environment }: { environment: Environment }) {
  const { id, name, collectionId, collectionItems: items } = environment
  const [expanded, { toggle }] = useDisclosure(false)
  const [editing, edit] = useDisclosure(false)
  const rename = useRenameEnvironment(collectionId)
  const drafts = useDrafts(items)
  const content = useId()
  useUnsaved(drafts.losable)

  return (
    <section className="card environment" aria-label={name}>
      {editing ? (
        <div className="environment__head">
          <NameForm
            name={name}
            save={(next) => rename({ id, name: next })}
            onSaved={edit.close}
            onCancel={edit.close}
          />
        </div>
      ) : (
        <EnvironmentHeader
          environment={environment}
          unsaved={drafts.unsaved}
          expanded={expanded}
          controls={content}
          onToggle={toggle}
          onEditName={edit.open}
        />
      )}
      <div id={content} className="environment__content" hidden={!expanded}>
        {expanded && <ItemList environmentId={id} collectionId={collectionId} items={items} drafts={drafts} />}
      </div>
    </section>
  )
}
