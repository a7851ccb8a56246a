import { Alert, NativeSelect, Text } from "@mantine/core"
import { InlineChoices } from "../../../ui/Choices.tsx"
import { counted, formatNumber } from "../../../ui/counts.ts"
import { LongList } from "../../../ui/LongList.tsx"
import { ScrollBox } from "../../../ui/ScrollBox.tsx"
import type { Choices, Duplicate, DuplicateRule } from "./incoming.ts"

const rules: { value: DuplicateRule; label: string }[] = [
  { value: "last", label: "The last one" },
  { value: "first", label: "The first one" },
  { value: "each", label: "Choose for each name" },
]

interface ImportDuplicatesProps {
  duplicates: Duplicate[]
  choices: Choices
  shown: boolean
  onChoose: (choices: Choices) => void
}

/** Names that the text has more than once, and which of their values counts. */
export function ImportDuplicates({ duplicates, choices, shown, onChoose }: ImportDuplicatesProps) {
  if (duplicates.length === 0) return null
  const isEach = choices.rule === "each"
  return (
    <Alert role="group" className="import-note" mt="sm" title={title(duplicates)}>
      <InlineChoices
        className="import-modes"
        legend="Which value counts"
        name="duplicates"
        options={rules}
        chosen={choices.rule}
        onChoose={(rule) => onChoose({ ...choices, rule })}
      />
      <ScrollBox label="Names that repeat">
        <LongList
          label="Names that repeat"
          rows={duplicates}
          keyOf={({ name }) => name}
          render={(duplicate) => (
            <div className="import-duplicate">
              <code className="import-row__name">{duplicate.name}</code>
              {isEach && !duplicate.isSame ? (
                <NativeSelect
                  size="xs"
                  aria-label={`Value of ${duplicate.name}`}
                  value={duplicate.chosen}
                  data={duplicate.places.map((place, at) => ({
                    value: String(at),
                    label: shown ? `${placeTitle(place)}: ${beginning(place.value)}` : placeTitle(place),
                  }))}
                  onChange={({ currentTarget }) => {
                    const picked = new Map(choices.picked).set(duplicate.name, Number(currentTarget.value))
                    onChoose({ ...choices, picked })
                  }}
                />
              ) : (
                <Text size="sm" component="span">
                  {describePlaces(duplicate)}
                </Text>
              )}
            </div>
          )}
        />
      </ScrollBox>
    </Alert>
  )
}

function title({ length }: Duplicate[]): string {
  return counted(length, "name appears more than once", "names appear more than once")
}

function placeTitle({ line, from }: Duplicate["places"][number]): string {
  const title = `Line ${formatNumber(line)}`
  return from === undefined ? title : `${title}, ${from}`
}

/** Enough places to find the others. */
const maxPlaces = 5

function describePlaces({ places, chosen, isSame }: Duplicate): string {
  const lines = places.slice(0, maxPlaces).map(({ line }) => formatNumber(line))
  const more = places.length > maxPlaces ? ` and ${formatNumber(places.length - maxPlaces)} more` : ""
  const counted = places[chosen]
  const outcome = isSame || counted === undefined ? "all the same value" : `line ${formatNumber(counted.line)} counts`
  return `lines ${lines.join(", ")}${more}; ${outcome}`
}

function beginning(value: string): string {
  return value.length > 60 ? `${value.slice(0, 60)}…` : value
}
