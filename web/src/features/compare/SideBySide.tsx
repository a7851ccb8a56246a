import type { Collection } from "@envkeep/contract"
import { useRef, useState } from "react"
import { useFreshItems } from "../../lib/live-changes.ts"
import { useIsPhone } from "../../ui/use-max-width.ts"
import { useKeptEnvironments } from "../environments/use-kept-environments.ts"
import { useAbouts } from "../names/queries.ts"
import { AddNameDialog } from "./AddNameDialog.tsx"
import { ColumnsDialog } from "./ColumnsDialog.tsx"
import { CompareHead } from "./CompareHead.tsx"
import { CompareKeysDialog } from "./CompareKeysDialog.tsx"
import { CompareTools } from "./CompareTools.tsx"
import { canEdit } from "./cell-actions.ts"
import { Grid } from "./Grid.tsx"
import { NoNames, NoVariables } from "./NoNames.tsx"
import { OneName } from "./OneName.tsx"
import { SelectionBar } from "./SelectionBar.tsx"
import { useColumns } from "./use-columns.ts"
import { useCompareActions } from "./use-compare-actions.tsx"
import { useCompareKeys } from "./use-compare-keys.ts"
import type { Asked } from "./use-cursor.ts"
import { useListedNames } from "./use-listed-names.ts"
import { useSelection } from "./use-selection.ts"

/** All names of a collection with their values in each environment: a grid, or one name at a time on phones. */
export function SideBySide({ collection }: { collection: Collection }) {
  const { id: collectionId, role } = collection
  // One that someone else deletes while a value is typed into it stays until that is discarded.
  const { shown: environments, onUnsaved } = useKeptEnvironments(collection.subCollections)
  const abouts = useAbouts(collectionId)
  const { choice, columns, environmentNames } = useColumns(collectionId, environments)
  const listed = useListedNames(columns, abouts)
  const { allRows, rows } = listed
  const selection = useSelection(rows, allRows)
  const fresh = useFreshItems(columns.map(({ environment }) => environment.id))
  const { actions, dialogs } = useCompareActions(collection, environments)
  const { revealed } = actions
  const isPhone = useIsPhone()

  const [dialog, setDialog] = useState<"columns" | "add" | "keys">()
  const close = () => setDialog(undefined)
  const [asked, setAsked] = useState<Asked>()
  const searchField = useRef<HTMLInputElement>(null)
  const editable = columns.find(({ environment }) => canEdit(role, environment))
  const openAdd = editable && (() => setDialog("add"))
  const openKeys = () => setDialog("keys")
  useCompareKeys({ onSearch: () => searchField.current?.focus(), onAdd: openAdd, onHelp: openKeys })

  function addName(name: string) {
    close()
    listed.add(name)
    if (editable !== undefined) setAsked({ name, environment: editable.environment })
  }

  function showAll() {
    searchField.current?.focus()
    listed.showAll()
  }

  const shared = { rows, columns, environmentNames, role, fresh, actions, onUnsaved }
  return (
    <>
      <CompareHead
        hiddenColumns={environments.length - columns.length}
        allShown={columns.every(({ environment }) => environment.valuesHidden) ? undefined : revealed.all}
        onToggleAll={revealed.toggleAll}
        onColumns={() => setDialog("columns")}
        onAdd={openAdd}
        onHelp={isPhone ? undefined : openKeys}
      />
      <CompareTools
        allRows={allRows}
        found={rows.length}
        text={listed.text}
        filter={listed.filter}
        searchField={searchField}
        onText={listed.setText}
        onFilter={listed.setFilter}
      />
      {!isPhone && <SelectionBar selection={selection} onCopy={actions.copyTo} />}
      {allRows.length === 0 ? (
        <NoVariables />
      ) : rows.length === 0 ? (
        <NoNames isFiltered={listed.filter !== "all"} onShowAll={showAll} />
      ) : isPhone ? (
        <OneName asked={asked?.name} {...shared} />
      ) : (
        <Grid allRows={allRows} choice={choice} selection={selection} asked={asked} {...shared} />
      )}
      <ColumnsDialog choice={choice} opened={dialog === "columns"} onClose={close} />
      <AddNameDialog opened={dialog === "add"} onClose={close} onAdd={addName} />
      <CompareKeysDialog opened={dialog === "keys"} onClose={close} />
      {dialogs}
    </>
  )
}
