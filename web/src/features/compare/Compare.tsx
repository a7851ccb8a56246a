import { allows, type Collection, type Environment } from "@envkeep/contract"
import { Button } from "@mantine/core"
import { IconColumns3, IconCopyPlus, IconX } from "@tabler/icons-react"
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useRef, useState } from "react"
import { Link, useLocation, useNavigate } from "react-router"
import { environmentAddress } from "../../lib/arrival.ts"
import { useFreshItems } from "../../lib/live-changes.ts"
import { useLiveCollection } from "../../lib/use-live-collection.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { counted } from "../../ui/counts.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { PageTitle } from "../../ui/PageTitle.tsx"
import { shortcutOf } from "../../ui/shortcut.ts"
import { useIsPhone } from "../../ui/use-max-width.ts"
import { CopyDialog } from "../copy/CopyDialog.tsx"
import { useKeptEnvironments } from "../environments/use-kept-environments.ts"
import { ItemHistoryDialog } from "../history/ItemHistoryDialog.tsx"
import { AboutDialog } from "../names/AboutDialog.tsx"
import { useAbouts } from "../names/queries.ts"
import { AddNameDialog } from "./AddNameDialog.tsx"
import { ColumnsDialog } from "./ColumnsDialog.tsx"
import { CompareHead } from "./CompareHead.tsx"
import { CompareKeysDialog } from "./CompareKeysDialog.tsx"
import { CompareTools } from "./CompareTools.tsx"
import { type CompareActions, canEdit } from "./cell-actions.ts"
import { Grid } from "./Grid.tsx"
import { columnsOf, type Filter, filters, rowsOf } from "./grid.ts"
import { OneName } from "./OneName.tsx"
import { useCellDeletion } from "./use-cell-deletion.tsx"
import { useColumnChoice } from "./use-column-choice.ts"
import type { Asked } from "./use-cursor.ts"
import { useRevealedCells } from "./use-revealed-cells.ts"
import { type Selection, useSelection } from "./use-selection.ts"
import "./compare.css"

interface CompareProps {
  collection: Collection
  onGone: () => void
}

export function Compare({ collection, onGone }: CompareProps) {
  const { id, name, role, subCollections } = collection
  useLiveCollection(id, onGone)
  return (
    <div className="page compare">
      <PageTitle>{`Compare ${name}`}</PageTitle>
      <Breadcrumb to={`/collection/${id}`}>{name}</Breadcrumb>
      {subCollections.length < 2 ? (
        <EmptyState isPage icon={<Icon shape={IconColumns3} />} title="Nothing to compare yet">
          <p>
            {allows(role, "maintainer")
              ? "Create a second environment to see both side by side."
              : "As soon as this collection has two environments, they are shown side by side."}
          </p>
          <Button component={Link} to={`/collection/${id}`} variant="default">
            Go to the environments
          </Button>
        </EmptyState>
      ) : (
        <SideBySide collection={collection} />
      )}
    </div>
  )
}

type OpenDialog = "columns" | "add" | "keys" | undefined

function SideBySide({ collection }: { collection: Collection }) {
  const { id: collectionId, role } = collection
  // One that someone else deletes while a value is typed into it stays until that is discarded.
  const { shown: environments, onUnsaved } = useKeptEnvironments(collection.subCollections)
  const abouts = useAbouts(collectionId)
  const choice = useColumnChoice(collectionId, environments)
  const shownIds = choice.shown.map(({ id }) => id).join()
  const all = useMemo(() => columnsOf(environments), [environments])
  const columns = useMemo(() => {
    const ids = shownIds.split(",").map(Number)
    return ids.flatMap((id) => all.get(id) ?? [])
  }, [all, shownIds])
  const environmentNames = useMemo(() => new Map(environments.map(({ id, name }) => [id, name])), [environments])

  const [added, setAdded] = useState<readonly string[]>([])
  const [asked, setAsked] = useState<Asked>()
  const allRows = useMemo(() => rowsOf(columns, abouts, added), [columns, abouts, added])
  const [text, setText] = useState("")
  const [filter, setFilter] = useState<Filter>("all")
  const sought = useDeferredValue(text).trim().toLowerCase()
  const rows = useMemo(() => {
    const { includes } = filters[filter]
    if (filter === "all" && sought === "") return allRows
    return allRows.filter((row) => includes(row) && row.name.toLowerCase().includes(sought))
  }, [allRows, filter, sought])
  const selection = useSelection(rows, allRows)
  const revealed = useRevealedCells()
  const fresh = useFreshItems(columns.map(({ environment }) => environment.id))
  const deletion = useCellDeletion(collectionId)

  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const [aboutName, setAboutName] = useState<string>()
  const [copying, setCopying] = useState<{ names: string[] | undefined; from: number | undefined }>()
  const canCopy = environments.length > 1 && environments.some((environment) => canEdit(role, environment))
  const [historyOf, setHistoryOf] = useState<{ environment: Environment; name: string }>()
  const [historyEnvironment, setHistoryEnvironment] = useState<Environment>()
  const navigate = useNavigate()
  const location = useLocation()
  const startDeletion = useEffectEvent(deletion.start)
  const openEnvironment = useEffectEvent(({ id: environmentId }: Environment) =>
    navigate(environmentAddress({ collectionId, environmentId }, {}, location)),
  )
  const actions = useMemo<CompareActions>(
    () => ({
      revealed,
      remove: ({ item }, environment) => item && startDeletion(item, environment),
      showAbout: setAboutName,
      showHistory(environment, name) {
        setHistoryEnvironment(environment)
        setHistoryOf({ environment, name })
      },
      copyTo: canCopy ? (names, from) => setCopying({ names, from: from?.id }) : undefined,
      openEnvironment,
    }),
    [revealed, canCopy],
  )

  const { copyTo } = actions
  const editable = columns.find(({ environment }) => canEdit(role, environment))
  const searchField = useRef<HTMLInputElement>(null)
  useCompareKeys({
    onSearch: () => searchField.current?.focus(),
    onAdd: editable && (() => setDialog("add")),
    onHelp: () => setDialog("keys"),
  })
  function addName(name: string) {
    close()
    setText("")
    setFilter("all")
    setAdded([...added, name])
    if (editable !== undefined) setAsked({ name, environment: editable.environment })
  }
  function clearFilters() {
    searchField.current?.focus()
    setText("")
    setFilter("all")
  }
  const isPhone = useIsPhone()
  const shared = { columns, environmentNames, role, fresh, actions, onUnsaved }
  return (
    <>
      <CompareHead
        hiddenColumns={environments.length - columns.length}
        allShown={columns.every(({ environment }) => environment.valuesHidden) ? undefined : revealed.all}
        onToggleAll={revealed.toggleAll}
        onColumns={() => setDialog("columns")}
        onAdd={editable && (() => setDialog("add"))}
        onHelp={isPhone ? undefined : () => setDialog("keys")}
      />
      <CompareTools
        allRows={allRows}
        found={rows.length}
        text={text}
        filter={filter}
        searchField={searchField}
        onText={setText}
        onFilter={setFilter}
      />
      {!isPhone && selection.names.size > 0 && (
        <SelectionBar selection={selection} onCopy={copyTo && (() => copyTo([...selection.names]))} />
      )}
      {allRows.length === 0 ? (
        <EmptyState icon={<Icon shape={IconColumns3} />} title="No variables yet">
          Add them to an environment, import a file, or add a name here.
        </EmptyState>
      ) : rows.length === 0 ? (
        <EmptyState icon={<Icon shape={IconColumns3} />} title="No names found">
          <p>
            {filter === "all" ? "No name contains this text." : "No name contains this text and matches this filter."}
          </p>
          <Button variant="default" onClick={clearFilters}>
            Show all names
          </Button>
        </EmptyState>
      ) : isPhone ? (
        <OneName rows={rows} asked={asked?.name} {...shared} />
      ) : (
        <Grid rows={rows} allRows={allRows} choice={choice} selection={selection} asked={asked} {...shared} />
      )}
      <ColumnsDialog choice={choice} opened={dialog === "columns"} onClose={close} />
      <AddNameDialog opened={dialog === "add"} onClose={close} onAdd={addName} />
      <CompareKeysDialog opened={dialog === "keys"} onClose={close} />
      <AboutDialog
        collectionId={collectionId}
        name={aboutName}
        canEdit={allows(role, "editor")}
        onClose={() => setAboutName(undefined)}
      />
      {copying && (
        <CopyDialog
          collectionId={collectionId}
          from={copying.from}
          names={copying.names}
          onClose={() => setCopying(undefined)}
        />
      )}
      {historyEnvironment !== undefined && (
        <ItemHistoryDialog
          environment={historyEnvironment}
          role={role}
          name={historyOf?.name}
          onChange={(name) => setHistoryOf(name === undefined ? undefined : { environment: historyEnvironment, name })}
        />
      )}
      {deletion.dialog}
    </>
  )
}

/** What can be done with the ticked names. */
function SelectionBar({ selection, onCopy }: { selection: Selection; onCopy: (() => void) | undefined }) {
  const { size } = selection.names
  return (
    <div className="selection-bar">
      <span role="status">{counted(size, "name selected", "names selected")}</span>
      {onCopy && (
        <Button size="xs" leftSection={<Icon shape={IconCopyPlus} />} onClick={onCopy}>
          Copy to…
        </Button>
      )}
      <Button size="xs" variant="subtle" color="gray" leftSection={<Icon shape={IconX} />} onClick={selection.clear}>
        Clear selection
      </Button>
    </div>
  )
}

interface CompareKeys {
  onSearch: () => void
  onAdd: (() => void) | undefined
  onHelp: () => void
}

/** Single keys that work everywhere on the screen but in a field. */
function useCompareKeys({ onSearch, onAdd, onHelp }: CompareKeys): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    const key = shortcutOf(event)
    const act = key === "/" ? onSearch : key === "n" ? onAdd : key === "?" ? onHelp : undefined
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event)
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])
}
