import { type Conflict, type Environment, environments } from "@envkeep/contract"
import type { FormatName } from "@envkeep/formats"
import { Button } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useEffect, useId, useState } from "react"
import { useNavigate } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { whoAndWhen } from "../../lib/who-and-when.ts"
import { NameForm } from "../../ui/NameForm.tsx"
import { useUnsaved } from "../../ui/unsaved.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useRefocus } from "../../ui/use-refocus.ts"
import { ApiKeysDialog } from "../api-keys/ApiKeysDialog.tsx"
import { PendingNote } from "../history/PendingNote.tsx"
import { ItemList } from "../items/ItemList.tsx"
import { useDrafts } from "../items/use-drafts.ts"
import { useSaveAll } from "../items/use-save-all.ts"
import { CopyFromDialog } from "./CopyFromDialog.tsx"
import { DeleteEnvironment } from "./DeleteEnvironment.tsx"
import { EnvironmentActions } from "./EnvironmentActions.tsx"
import { EnvironmentHeader } from "./EnvironmentHeader.tsx"
import { ExportDialog } from "./export/ExportDialog.tsx"
import { ImportDialog } from "./import/ImportDialog.tsx"
import { SkipItems } from "./keyboard/SkipItems.tsx"
import { useEnvironmentKeys } from "./keyboard/use-environment-keys.ts"
import { useRenameEnvironment } from "./queries.ts"
import { RawDialog } from "./raw/RawDialog.tsx"
import { useReveal } from "./use-reveal.ts"

interface EnvironmentBlockProps {
  environment: Environment
  /** The environments whose items can be copied into this one. */
  sources: Environment[]
  expanded: boolean
  /** Someone else has deleted it while it had unsaved edits. */
  isDeleted: boolean
  isLast: boolean
  /** Whether its toggle takes the focus now. */
  focused: boolean
  onFocused: () => void
  onToggle: () => void
  onUnsaved: (id: number, isUnsaved: boolean) => void
  onDeleted: () => void
}

/** One environment, collapsed or expanded. Unsaved edits of its rows survive a collapse. */
export function EnvironmentBlock({
  environment,
  sources,
  expanded,
  isDeleted,
  isLast,
  focused,
  ...on
}: EnvironmentBlockProps) {
  const { id, name, collectionId, collectionItems: items } = environment
  const [dialog, setDialog] = useState<"import" | "export" | "raw" | "keys" | "copy" | "delete">()
  const [importText, setImportText] = useState("")
  const [format, setFormat] = useState<FormatName>("dotenv")
  const [editing, edit] = useDisclosure(false)
  const block = useReveal(expanded, focused)
  const toggle = useFocusWhen<HTMLButtonElement>(focused, on.onFocused)
  const more = useRefocus(editing)
  const drafts = useDrafts(environment)
  const content = useId()
  const navigate = useNavigate()
  const historyPath = `/collection/${collectionId}/history/${id}`
  const [saveAll, isSaving] = useSaveAll(environment, drafts)
  const { wouldBeLost } = drafts
  const { onUnsaved } = on
  useUnsaved(wouldBeLost)
  useEffect(() => onUnsaved(id, wouldBeLost), [onUnsaved, id, wouldBeLost])
  useEnvironmentKeys({ environment: block, onSaveAll: saveAll, onEditName: edit.open })

  const close = () => setDialog(undefined)
  function clickSaveAll() {
    // The button is about to be removed.
    toggle.current?.focus()
    saveAll()
  }
  function openImport(text: string) {
    setImportText(text)
    setDialog("import")
  }
  const { unsaved } = drafts
  return (
    <section ref={block} className="card environment" aria-label={name}>
      {editing ? (
        <div className="environment__head">
          <RenameForm environment={environment} onClose={edit.close} />
        </div>
      ) : (
        <EnvironmentHeader
          environment={environment}
          unsaved={unsaved}
          isDeleted={isDeleted}
          expanded={expanded}
          controls={content}
          toggle={toggle}
          onToggle={on.onToggle}
          saveAll={
            <>
              {drafts.wouldBeLost && <PendingNote note={drafts.note} onNote={drafts.setNote} />}
              {/* A single edited row has its own button. */}
              {(unsaved > 1 || drafts.newRows.length > 0) && (
                <Button className="environment__save-all" size="xs" loading={isSaving} onClick={clickSaveAll}>
                  Save all
                </Button>
              )}
            </>
          }
        >
          <EnvironmentActions
            name={name}
            more={more}
            onImport={() => openImport("")}
            onExport={(chosen) => {
              setFormat(chosen)
              setDialog("export")
            }}
            onEditRaw={() => setDialog("raw")}
            onManageKeys={() => setDialog("keys")}
            onHistory={() => navigate(historyPath)}
            onEditName={edit.open}
            onDelete={() => setDialog("delete")}
          />
        </EnvironmentHeader>
      )}
      <div id={content} className="environment__content" hidden={!expanded}>
        {expanded && !isLast && items.length > 0 && <SkipItems />}
        {expanded && (
          <ItemList
            collectionId={collectionId}
            environmentId={id}
            items={items}
            drafts={drafts}
            historyPath={historyPath}
            onImport={openImport}
            onSaveAll={saveAll}
            onCopyFrom={sources.length === 0 ? undefined : () => setDialog("copy")}
          />
        )}
      </div>
      <ImportDialog
        environment={environment}
        unsaved={unsaved}
        initialText={importText}
        opened={dialog === "import"}
        onClose={close}
      />
      <ExportDialog
        environment={environment}
        unsaved={unsaved}
        format={format}
        onChoose={setFormat}
        opened={dialog === "export"}
        onClose={close}
      />
      <RawDialog environment={environment} opened={dialog === "raw"} onClose={close} />
      <ApiKeysDialog
        environmentId={id}
        environmentName={name}
        collectionId={collectionId}
        apiKeys={environment.apiKeys}
        opened={dialog === "keys"}
        onClose={close}
      />
      <CopyFromDialog
        environment={environment}
        sources={sources}
        opened={dialog === "copy" && items.length === 0}
        onClose={close}
      />
      <DeleteEnvironment
        environment={environment}
        opened={dialog === "delete"}
        onClose={close}
        onDeleted={on.onDeleted}
      />
    </section>
  )
}

function RenameForm({ environment, onClose }: { environment: Environment; onClose: () => void }) {
  const { id, name, revision, collectionId } = environment
  const form = useCallForm(environments.rename, { id, name, revision }, { live: true })
  const rename = useRenameEnvironment(collectionId)
  const [conflict, setConflict] = useState<Conflict>()
  const field = form.field("name")

  function save() {
    setConflict(undefined)
    return form.send((input, onRefused) =>
      rename(input, (sentence, [first]) => {
        onRefused(sentence, [])
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
