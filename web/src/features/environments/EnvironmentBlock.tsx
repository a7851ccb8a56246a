import {
  allows,
  type Conflict,
  type Environment,
  environments,
  type InstanceCount,
  type Level,
} from "@envkeep/contract"
import type { FormatName } from "@envkeep/formats"
import { Button } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useEffect, useEffectEvent, useId, useState } from "react"
import { useNavigate } from "react-router"
import { type ArrivalDialog, useArrival } from "../../lib/arrival.ts"
import { useCallForm } from "../../lib/call-form.ts"
import { useInheritance } from "../../lib/inheritance.ts"
import { whoAndWhen } from "../../lib/who-and-when.ts"
import { NameForm } from "../../ui/NameForm.tsx"
import { useUnsaved } from "../../ui/unsaved.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useRefocus } from "../../ui/use-refocus.ts"
import { ApiKeysDialog } from "../api-keys/ApiKeysDialog.tsx"
import { CopyDialog } from "../copy/CopyDialog.tsx"
import { PendingNote } from "../history/PendingNote.tsx"
import { InstancesChip } from "../instances/InstancesChip.tsx"
import { ItemList } from "../items/ItemList.tsx"
import { ReadOnlyItems } from "../items/ReadOnlyItems.tsx"
import { useDrafts } from "../items/use-drafts.ts"
import { useSaveAll } from "../items/use-save-all.ts"
import { ExampleDialog } from "../names/ExampleDialog.tsx"
import { ProblemsChip } from "../names/ProblemsChip.tsx"
import { DeleteEnvironment } from "./DeleteEnvironment.tsx"
import { EnvironmentActions } from "./EnvironmentActions.tsx"
import { EnvironmentHeader } from "./EnvironmentHeader.tsx"
import { ExportDialog } from "./export/ExportDialog.tsx"
import { ImportDialog } from "./import/ImportDialog.tsx"
import { InheritDialog } from "./inheritance/InheritDialog.tsx"
import { SkipItems } from "./keyboard/SkipItems.tsx"
import { useEnvironmentKeys } from "./keyboard/use-environment-keys.ts"
import { ProtectDialog } from "./ProtectDialog.tsx"
import { useRenameEnvironment } from "./queries.ts"
import { RawDialog } from "./raw/RawDialog.tsx"
import { useReveal } from "./use-reveal.ts"

interface EnvironmentBlockProps {
  environment: Environment
  /** All environments of the collection. */
  environments: readonly Environment[]
  /** What the user is in the collection. */
  role: Level
  /** Whether another environment has items that can be copied into this one, or can take those of this one. */
  canCopyFrom: boolean
  canCopyTo: boolean
  /** What runs with it, if anything does. */
  running: InstanceCount | undefined
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
  environments: all,
  role,
  canCopyFrom,
  canCopyTo,
  running,
  expanded,
  isDeleted,
  isLast,
  focused,
  ...on
}: EnvironmentBlockProps) {
  const { id, name, collectionId, collectionItems: items } = environment
  const [dialog, setDialog] = useState<
    "import" | "export" | "example" | "raw" | "keys" | "copy from" | "copy to" | "inherit" | "protect" | "delete"
  >()
  const [importText, setImportText] = useState("")
  const [format, setFormat] = useState<FormatName>("dotenv")
  const [editing, edit] = useDisclosure(false)
  const block = useReveal(expanded, focused)
  const toggle = useFocusWhen<HTMLButtonElement>(focused, on.onFocused)
  const more = useRefocus(editing)
  const drafts = useDrafts(environment)
  const inheritance = useInheritance(environment, all)
  const content = useId()
  const navigate = useNavigate()
  const historyPath = `/collection/${collectionId}/history/${id}`
  const [saveAll, isSaving] = useSaveAll(environment, drafts)
  const { wouldBeLost } = drafts
  const { onUnsaved } = on
  useUnsaved(wouldBeLost)
  useEffect(() => onUnsaved(id, wouldBeLost), [onUnsaved, id, wouldBeLost])
  const canSee = !environment.valuesHidden
  const canEdit = canSee && allows(role, "editor", environment)
  const canManage = allows(role, "maintainer", environment)
  useEnvironmentKeys({ environment: block, onSaveAll: saveAll, onEditName: canManage ? edit.open : undefined })

  const arrival = useArrival(id)
  const openArrived = useEffectEvent((asked: ArrivalDialog) => {
    if (asked === "export" ? canSee : canEdit) setDialog(asked)
    arrival.onArrived()
  })
  useEffect(() => {
    if (arrival.open !== undefined) openArrived(arrival.open)
  }, [arrival.open])

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
  /** Rows that are already there keep what was typed. */
  function addRows(names: string[]) {
    const isThere = new Set(drafts.newRows.map((row) => row.name))
    drafts.split(names.filter((one) => !isThere.has(one)).map((one) => ({ name: one, value: "" })))
    if (!expanded) on.onToggle()
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
          inheritance={inheritance}
          unsaved={unsaved}
          isDeleted={isDeleted}
          expanded={expanded}
          controls={content}
          toggle={toggle}
          onToggle={on.onToggle}
          problems={
            <ProblemsChip environment={environment} inheritance={inheritance} {...(canEdit && { onAdd: addRows })} />
          }
          running={canEdit && <InstancesChip environment={environment} count={running} />}
          saveAll={
            <>
              {drafts.wouldBeLost && <PendingNote note={drafts.note} onNote={drafts.setNote} />}
              {/* A single edited row has its own button. */}
              {(unsaved > 1 || drafts.newRows.some(({ over }) => over === undefined)) && (
                <Button className="environment__save-all" size="xs" loading={isSaving} onClick={clickSaveAll}>
                  Save all
                </Button>
              )}
            </>
          }
        >
          <EnvironmentActions
            name={name}
            isProtected={environment.isProtected}
            more={more}
            onHistory={() => navigate(historyPath)}
            {...(canSee && {
              onExport: (chosen) => {
                setFormat(chosen)
                setDialog("export")
              },
              onExportExample: () => setDialog("example"),
            })}
            {...(canCopyTo && { onCopyTo: () => setDialog("copy to") })}
            {...(canEdit && {
              onImport: () => openImport(""),
              onEditRaw: () => setDialog("raw"),
              onManageKeys: () => setDialog("keys"),
            })}
            {...(canManage && {
              onEditName: edit.open,
              onInherit: () => setDialog("inherit"),
              onProtect: () => setDialog("protect"),
              onDelete: () => setDialog("delete"),
            })}
          />
        </EnvironmentHeader>
      )}
      <div id={content} className="environment__content" hidden={!expanded}>
        {expanded && !isLast && items.length + inheritance.items.length > 0 && <SkipItems />}
        {expanded && !canEdit && (
          <ReadOnlyItems environment={environment} inheritance={inheritance} role={role} historyPath={historyPath} />
        )}
        {expanded && canEdit && (
          <ItemList
            environment={environment}
            inheritance={inheritance}
            role={role}
            drafts={drafts}
            historyPath={historyPath}
            onImport={openImport}
            onSaveAll={saveAll}
            onCopyFrom={canCopyFrom ? () => setDialog("copy from") : undefined}
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
        inheritance={inheritance}
        unsaved={unsaved}
        format={format}
        onChoose={setFormat}
        opened={dialog === "export"}
        onClose={close}
      />
      <ExampleDialog
        collectionId={collectionId}
        environment={environment}
        opened={dialog === "example"}
        onClose={close}
      />
      <RawDialog environment={environment} inheritance={inheritance} opened={dialog === "raw"} onClose={close} />
      <ApiKeysDialog
        environmentId={id}
        environmentName={name}
        collectionId={collectionId}
        apiKeys={environment.apiKeys}
        opened={dialog === "keys"}
        onClose={close}
      />
      {dialog === "copy to" && <CopyDialog collectionId={collectionId} from={id} onClose={close} />}
      {dialog === "copy from" && <CopyDialog collectionId={collectionId} to={id} onClose={close} />}
      <InheritDialog environment={environment} environments={all} opened={dialog === "inherit"} onClose={close} />
      <ProtectDialog environment={environment} environments={all} opened={dialog === "protect"} onClose={close} />
      <DeleteEnvironment
        environment={environment}
        environments={all}
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
