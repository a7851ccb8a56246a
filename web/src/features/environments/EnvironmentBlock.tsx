import type { Environment, InstanceCount, Level } from "@envkeep/contract"
import { useDisclosure } from "@mantine/hooks"
import { type RefObject, useEffect, useId } from "react"
import { useNavigate } from "react-router"
import { useInheritance } from "../../lib/inheritance.ts"
import { useUnsaved } from "../../ui/unsaved.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useRefocus } from "../../ui/use-refocus.ts"
import { InstancesChip } from "../instances/InstancesChip.tsx"
import { ItemList } from "../items/ItemList.tsx"
import { ReadOnlyItems } from "../items/ReadOnlyItems.tsx"
import { type Drafts, useDrafts } from "../items/use-drafts.ts"
import { useSaveAll } from "../items/use-save-all.ts"
import { useSaveItems } from "../items/use-save-items.ts"
import { ProblemsChip } from "../names/ProblemsChip.tsx"
import { allowedIn } from "./allowed.ts"
import { EnvironmentActions } from "./EnvironmentActions.tsx"
import { EnvironmentDialogs } from "./EnvironmentDialogs.tsx"
import { EnvironmentHeader } from "./EnvironmentHeader.tsx"
import { SkipItems } from "./keyboard/SkipItems.tsx"
import { useEnvironmentKeys } from "./keyboard/use-environment-keys.ts"
import { RenameEnvironment } from "./RenameEnvironment.tsx"
import { SaveAll } from "./SaveAll.tsx"
import { type OpenedDialogs, useEnvironmentDialogs } from "./use-environment-dialogs.ts"
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
export function EnvironmentBlock({ environment, environments, role, expanded, ...rest }: EnvironmentBlockProps) {
  const { running, canCopyFrom, canCopyTo, isDeleted, isLast, focused, ...on } = rest
  const { id, name, collectionId, collectionItems: items } = environment
  const historyPath = `/collection/${collectionId}/history/${id}`
  const content = useId()

  const inheritance = useInheritance(environment, environments)
  const allowed = allowedIn(environment, role)
  const { canEdit, canManage } = allowed

  const [editing, edit] = useDisclosure(false)
  const dialogs = useEnvironmentDialogs(environment, allowed)
  const block = useReveal(expanded, focused)
  const toggle = useFocusWhen<HTMLButtonElement>(focused, on.onFocused)
  const more = useRefocus(editing)

  const drafts = useDrafts(environment)
  const save = useSaveItems(environment)
  const [saveAll, isSaving] = useSaveAll(save, drafts)
  useReportUnsaved(id, drafts.wouldBeLost, on.onUnsaved)
  useEnvironmentKeys({ environment: block, onSaveAll: saveAll, onEditName: canManage ? edit.open : undefined })

  function clickSaveAll() {
    // The button is about to be removed.
    toggle.current?.focus()
    saveAll()
  }

  function addRows(names: string[]) {
    splitUnknown(drafts, names)
    if (!expanded) on.onToggle()
  }

  return (
    <section ref={block} className="card environment" aria-label={name}>
      {editing ? (
        <div className="environment__head">
          <RenameEnvironment environment={environment} onClose={edit.close} />
        </div>
      ) : (
        <EnvironmentHeader
          environment={environment}
          inheritance={inheritance}
          unsaved={drafts.unsaved}
          isDeleted={isDeleted}
          expanded={expanded}
          controls={content}
          toggle={toggle}
          onToggle={on.onToggle}
          problems={
            <ProblemsChip environment={environment} inheritance={inheritance} {...(canEdit && { onAdd: addRows })} />
          }
          running={canEdit && <InstancesChip environment={environment} count={running} />}
          saveAll={<SaveAll drafts={drafts} isSaving={isSaving} onSave={clickSaveAll} />}
        >
          <BlockActions
            environment={environment}
            role={role}
            canCopyTo={canCopyTo}
            historyPath={historyPath}
            more={more}
            dialogs={dialogs}
            onEditName={edit.open}
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
            onImport={dialogs.openImport}
            onSave={save}
            onSaveAll={saveAll}
            onCopyFrom={canCopyFrom ? () => dialogs.open("copy from") : undefined}
          />
        )}
      </div>
      <EnvironmentDialogs
        environment={environment}
        environments={environments}
        inheritance={inheritance}
        unsaved={drafts.unsaved}
        dialogs={dialogs}
        onDeleted={on.onDeleted}
      />
    </section>
  )
}

interface BlockActionsProps {
  environment: Environment
  role: Level
  canCopyTo: boolean
  historyPath: string
  /** The button that opens the menu or the sheet. */
  more: RefObject<HTMLButtonElement | null>
  dialogs: OpenedDialogs
  onEditName: () => void
}

/** What the user's role allows, each action with the dialog that it opens. */
function BlockActions({ environment, role, canCopyTo, historyPath, more, dialogs, onEditName }: BlockActionsProps) {
  const { canSee, canEdit, canManage } = allowedIn(environment, role)
  const navigate = useNavigate()
  return (
    <EnvironmentActions
      name={environment.name}
      isProtected={environment.isProtected}
      more={more}
      onHistory={() => navigate(historyPath)}
      {...(canSee && {
        onExport: dialogs.openExport,
        onExportExample: () => dialogs.open("example"),
      })}
      {...(canCopyTo && { onCopyTo: () => dialogs.open("copy to") })}
      {...(canEdit && {
        onImport: () => dialogs.openImport(""),
        onEditRaw: () => dialogs.open("raw"),
        onManageKeys: () => dialogs.open("keys"),
      })}
      {...(canManage && {
        onEditName,
        onInherit: () => dialogs.open("inherit"),
        onProtect: () => dialogs.open("protect"),
        onDelete: () => dialogs.open("delete"),
      })}
    />
  )
}

/** Tells the page, which asks before it is left, and the list, which keeps an environment with unsaved edits. */
function useReportUnsaved(id: number, wouldBeLost: boolean, onUnsaved: (id: number, isUnsaved: boolean) => void): void {
  useUnsaved(wouldBeLost)
  useEffect(() => onUnsaved(id, wouldBeLost), [onUnsaved, id, wouldBeLost])
}

/** New rows for names without a value. Rows that are already there keep what was typed. */
function splitUnknown(drafts: Drafts, names: string[]): void {
  const isThere = new Set(drafts.newRows.map((row) => row.name))
  drafts.split(names.filter((one) => !isThere.has(one)).map((one) => ({ name: one, value: "" })))
}
