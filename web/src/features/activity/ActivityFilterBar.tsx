import { type ActivityKind, activityKinds } from "@envkeep/contract"
import { Button, NativeSelect, TextInput } from "@mantine/core"
import type { ActivityFilters } from "./queries.ts"
import { kindLabels } from "./words.ts"

interface Choice {
  id: number
  name: string
}

interface ActivityFilterBarProps {
  filters: ActivityFilters
  /** What a screen can show. */
  kinds: readonly ActivityKind[]
  environments?: readonly Choice[] | undefined
  people?: readonly Choice[] | undefined
  onChange: (filters: ActivityFilters) => void
}

export function ActivityFilterBar({ filters, kinds, environments, people, onChange }: ActivityFilterBarProps) {
  const set = (changed: ActivityFilters) => onChange({ ...filters, ...changed })
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <search className="activity-filters" aria-label="Filter activity">
      <NativeSelect
        label="Kind"
        data={[
          { value: "", label: "Everything" },
          ...kinds.map((value) => ({ value: value as string, label: kindLabels[value] })),
        ]}
        value={filters.kind ?? ""}
        onChange={({ currentTarget }) => set({ kind: kindNamed(currentTarget.value) })}
      />
      {environments !== undefined && environments.length > 0 && (
        <Choose
          label="Environment"
          all="All environments"
          choices={environments}
          value={filters.environmentId}
          onChoose={(environmentId) => set({ environmentId })}
        />
      )}
      {people !== undefined && people.length > 0 && (
        <Choose
          label="Person"
          all="Everyone"
          choices={people}
          value={filters.personId}
          onChoose={(personId) => set({ personId })}
        />
      )}
      <TextInput
        label="From"
        type="date"
        value={filters.since ?? ""}
        onChange={({ currentTarget }) => set({ since: currentTarget.value || undefined })}
      />
      <TextInput
        label="To"
        type="date"
        value={filters.until ?? ""}
        onChange={({ currentTarget }) => set({ until: currentTarget.value || undefined })}
      />
      {isFiltered && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </search>
  )
}

function kindNamed(value: string): ActivityKind | undefined {
  return (Object.keys(activityKinds) as ActivityKind[]).find((kind) => kind === value)
}

interface ChooseProps {
  label: string
  all: string
  choices: readonly Choice[]
  value: number | undefined
  onChoose: (id: number | undefined) => void
}

function Choose({ label, all, choices, value, onChoose }: ChooseProps) {
  return (
    <NativeSelect
      label={label}
      data={[{ value: "", label: all }, ...choices.map(({ id, name }) => ({ value: String(id), label: name }))]}
      value={value === undefined ? "" : String(value)}
      onChange={({ currentTarget }) => onChoose(currentTarget.value === "" ? undefined : Number(currentTarget.value))}
    />
  )
}
