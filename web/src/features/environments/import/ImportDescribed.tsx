import { Text } from "@mantine/core"
import { counted } from "../../../ui/counts.ts"
import { CheckField } from "../../names/CheckField.tsx"
import { FoundDescriptions } from "../../names/FoundDescriptions.tsx"
import type { NewDescription } from "../../names/found-descriptions.ts"

/** What an import takes from a text: its values, or only what it says about the names. */
export type Take = "values" | "examples"

const takes: { take: Take; title: string; effect: string }[] = [
  { take: "examples", title: "Only descriptions", effect: "the values become examples" },
  { take: "values", title: "Values", effect: "import them like those of any file" },
]

/** For a text whose values look like examples. */
export function ImportTake({ take, onTake }: { take: Take; onTake: (take: Take) => void }) {
  return (
    <fieldset className="import-modes import-take">
      <legend>What to take from this example file</legend>
      {takes.map((one) => (
        <label key={one.take} className="import-modes__choice">
          <input type="radio" name="take" checked={take === one.take} onChange={() => onTake(one.take)} />
          <span>
            <strong>{one.title}</strong>: {one.effect}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface ImportDescribedProps {
  found: NewDescription[]
  take: Take
  checked: boolean
  onCheck: (checked: boolean) => void
}

/** What the text says about names that are not described yet. Besides values it is stored only if the user chooses to. */
export function ImportDescribed({ found, take, checked, onCheck }: ImportDescribedProps) {
  const names = counted(found.length, "name")
  if (take === "values") {
    if (found.length === 0) return null
    return (
      <div className="import-described">
        <CheckField
          label={`Also fill descriptions of ${names}`}
          description="From the comments in the text. Everyone with access to the collection sees descriptions."
          checked={checked}
          onChange={onCheck}
        />
        {checked && <FoundDescriptions found={found} />}
      </div>
    )
  }
  return (
    <div className="import-described">
      <Text size="sm" fw={600} role="status">
        {found.length === 0 ? "Everything in this text is described already" : `Describes ${names}`}
      </Text>
      <FoundDescriptions found={found} />
    </div>
  )
}
