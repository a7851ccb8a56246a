import { Text, TextInput } from "@mantine/core"
import { useId, useState } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { useCollectionNames } from "./queries.ts"

interface CollectionChoiceProps {
  /** Undefined for all collections. */
  chosen: number[] | undefined
  error: string | undefined
  onChange: (ids: number[] | undefined) => void
}

export function CollectionChoice({ chosen, error, onChange }: CollectionChoiceProps) {
  const errorId = useId()
  return (
    <fieldset className="choices" {...(error !== undefined && { "aria-describedby": errorId })}>
      <legend>Collections</legend>
      <label className="choice">
        <input type="radio" name="collections" checked={chosen === undefined} onChange={() => onChange(undefined)} />
        <strong>All your collections</strong>
      </label>
      <label className="choice">
        <input type="radio" name="collections" checked={chosen !== undefined} onChange={() => onChange([])} />
        <strong>Only some</strong>
      </label>
      {chosen !== undefined && <CollectionList chosen={chosen} onChange={onChange} />}
      {error !== undefined && (
        <Text size="sm" c="var(--danger)" id={errorId}>
          {error}
        </Text>
      )}
    </fieldset>
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
    <div className="choices__list">
      {data.length > maxWithoutSearch && (
        <TextInput
          aria-label="Find a collection"
          placeholder="Find a collection"
          value={search}
          onChange={(change) => setSearch(change.currentTarget.value)}
        />
      )}
      {found.slice(0, maxShown).map(({ id, name }) => (
        <label key={id} className="choice">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
          <span className="breaks-anywhere">{name}</span>
        </label>
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
    </div>
  )
}
