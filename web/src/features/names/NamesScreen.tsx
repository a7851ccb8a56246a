import { allows, type Collection } from "@envkeep/contract"
import { Button, Group, NativeSelect } from "@mantine/core"
import { IconFileExport, IconFileImport, IconPlus, IconTags } from "@tabler/icons-react"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { Navigate, useParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/collection-query.ts"
import { useLiveCollection } from "../../lib/use-live-collection.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { LongList } from "../../ui/LongList.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { AboutDialog } from "./AboutDialog.tsx"
import { ExampleDialog } from "./ExampleDialog.tsx"
import { ImportDescriptions } from "./ImportDescriptions.tsx"
import { listedNames, type ShownNames, shownNames } from "./listed-names.ts"
import { type Editing, NameRow } from "./NameRow.tsx"
import { useAbouts, useNames } from "./queries.ts"
import "./names.css"

/** All names of a collection, over all environments, with what is known about them. */
export function NamesScreen() {
  const { id = "" } = useParams()
  if (!/^[1-9]\d{0,14}$/.test(id)) return <Navigate to="/collection/dashboard" replace />
  return <Names key={id} id={Number(id)} />
}

function Names({ id }: { id: number }) {
  const [isGone, setGone] = useState(false)
  return isGone ? <Navigate to="/collection/dashboard" replace /> : <Loaded id={id} onGone={() => setGone(true)} />
}

function Loaded({ id, onGone }: { id: number; onGone: () => void }) {
  const collection = useQuery(collectionQuery(useQueryClient(), id))
  const names = useNames(id)
  const error = collection.error ?? names.error
  // The screen of a collection says that it is not there.
  if (error instanceof ApiError && error.status === 404) return <Navigate to={`/collection/${id}`} replace />
  if (collection.data !== undefined && names.data !== undefined) {
    return <Content collection={collection.data} onGone={onGone} />
  }
  if (error === null) return <Spinner />
  const retry = () => void Promise.all([collection.refetch(), names.refetch()])
  return (
    <div className="page">
      <LoadFailed title="The names could not be loaded" message={error.message} isPage onRetry={retry} />
    </div>
  )
}

function Content({ collection, onGone }: { collection: Collection; onGone: () => void }) {
  const { id, name, role, subCollections } = collection
  useLiveCollection(id, onGone)
  const abouts = useAbouts(id)
  const [shown, setShown] = useState<ShownNames>("all")
  const [dialog, setDialog] = useState<"export" | "import">()
  const [editing, setEditing] = useState<Editing>()
  const all = useMemo(() => listedNames(subCollections, abouts), [subCollections, abouts])
  const rows = all.filter(shownNames[shown].isShown)
  const canEdit = allows(role, "editor")
  const close = () => setDialog(undefined)
  return (
    <Page
      title="Names"
      lead={`What the variables of ${name} are for. It holds for all environments, and nothing is refused because of it.`}
      breadcrumb={<Breadcrumb to={`/collection/${id}`}>{name}</Breadcrumb>}
      actions={
        <Group gap="xs">
          {canEdit && (
            <>
              <Button
                variant="default"
                leftSection={<Icon shape={IconFileImport} />}
                onClick={() => setDialog("import")}
              >
                Import descriptions
              </Button>
              <Button
                variant="default"
                leftSection={<Icon shape={IconPlus} />}
                onClick={() => setEditing({ name: "" })}
              >
                Describe a name
              </Button>
            </>
          )}
          <Button variant="default" leftSection={<Icon shape={IconFileExport} />} onClick={() => setDialog("export")}>
            Export .env.example
          </Button>
        </Group>
      }
    >
      {all.length === 0 ? (
        <EmptyState icon={<Icon shape={IconTags} />} title="No names yet">
          {canEdit
            ? "Add variables to an environment, import a .env.example, or describe a name that is still to come."
            : "As soon as an environment has variables, their names are listed here."}
        </EmptyState>
      ) : (
        <>
          <NativeSelect
            aria-label="Show"
            maw={240}
            mb={12}
            data={Object.entries(shownNames).map(([value, { label }]) => ({ value, label }))}
            value={shown}
            onChange={({ currentTarget }) => setShown(currentTarget.value as ShownNames)}
          />
          <div className="card names">
            <div className="name-row name-row--head" aria-hidden="true">
              <span>Name</span>
              <span>Description</span>
              <span>Required</span>
              <span>Secret</span>
              <span>Kind</span>
              <span>Example</span>
              <span />
            </div>
            {rows.length === 0 && <p className="section__text">No name matches this filter.</p>}
            <LongList
              label="Names"
              rows={rows}
              keyOf={({ about }) => about.name}
              search={{
                label: "Find a name or description",
                textOf: ({ about }) => `${about.name} ${about.description}`,
              }}
              render={(row) => <NameRow collectionId={id} listed={row} canEdit={canEdit} onEdit={setEditing} />}
            />
          </div>
        </>
      )}
      <AboutDialog
        collectionId={id}
        name={editing?.name}
        kind={editing?.kind}
        canEdit={canEdit}
        onClose={() => setEditing(undefined)}
      />
      <ExampleDialog collectionId={id} opened={dialog === "export"} onClose={close} />
      <ImportDescriptions collectionId={id} abouts={abouts} opened={dialog === "import"} onClose={close} />
    </Page>
  )
}
