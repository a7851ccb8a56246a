import { Text } from "@mantine/core"
import type { ReactNode } from "react"
import { InlineChoices, titled } from "../../../ui/Choices.tsx"
import { counted } from "../../../ui/counts.ts"
import { CheckField } from "../../names/CheckField.tsx"
import { FoundDescriptions } from "../../names/FoundDescriptions.tsx"
import type { NewDescription } from "../../names/found-descriptions.ts"

/** What an import takes from a text: its values, or only what it says about the names. */
export type Take = "values" | "examples"

const takes: { value: Take; label: ReactNode }[] = [
  { value: "examples", label: titled("Only descriptions", "the values become examples") },
  { value: "values", label: titled("Values", "import them like those of any file") },
]

/** For a text whose values look like examples. */
export function ImportTake({ take, onTake }: { take: Take; onTake: (take: Take) => void }) {
  return (
    <InlineChoices
      className="import-modes import-take"
      legend="What to take from this example file"
      name="take"
      options={takes}
      chosen={take}
      onChoose={onTake}
    />
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
