import { Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { AllOrSome, Check } from "../../ui/Choices.tsx"
import { formatNumber } from "../../ui/counts.ts"
import { useCollectionNames } from "./queries.ts"

interface CollectionChoiceProps {
  /** Undefined for all collections. */
  chosen: number[] | undefined
  error: string | undefined
  onChange: (ids: number[] | undefined) => void
}

export function CollectionChoice({ chosen, error, onChange }: CollectionChoiceProps) {
  return (
    <AllOrSome
      legend="Collections"
      all="All your collections"
      isAll={chosen === undefined}
      error={error}
      maxHeightPx={220}
      onAll={(isAll) => onChange(isAll ? undefined : [])}
    >
      <CollectionList chosen={chosen ?? []} onChange={onChange} />
    </AllOrSome>
  )
}

/** With more than this, there is a field to find them. */
const maxWithoutSearch = 8
const maxShown = 100

function CollectionList({ chosen, onChange }: { chosen: number[]; onChange: (ids: number[]) => void }) {
  const { data = [], isPending } = useCollectionNames()
  const [search, setSearch] = useState("")
  const wanted = search.trim().toLowerCase()
  const found = data.filter(({ id, name }) => chosen.includes(id) || name.toLowerCase().includes(wanted))
  return (
    <>
      {data.length > maxWithoutSearch && (
        <TextInput
          aria-label="Find a collection"
          placeholder="Find a collection"
          value={search}
          onChange={(change) => setSearch(change.currentTarget.value)}
        />
      )}
      {found.slice(0, maxShown).map(({ id, name }) => (
        <Check
          key={id}
          checked={chosen.includes(id)}
          onCheck={(checked) => onChange(checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
        >
          <span className="breaks-anywhere">{name}</span>
        </Check>
      ))}
      {!isPending && found.length === 0 && (
        <Text size="sm" c="dimmed">
          {data.length === 0 ? "You have no collections yet." : "No collection has this name."}
        </Text>
      )}
      {found.length > maxShown && (
        <Text size="sm" c="dimmed">
          {`${maxShown} of ${formatNumber(found.length)} are shown.`}
        </Text>
      )}
    </>
  )
}
