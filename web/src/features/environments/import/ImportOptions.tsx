import { type Syntax, syntaxes, syntaxLabels } from "@envkeep/formats/import"
import { NativeSelect } from "@mantine/core"
import type { ReactNode } from "react"
import { InlineChoices, titled } from "../../../ui/Choices.tsx"
import { formatNumber } from "../../../ui/counts.ts"
import type { Mode } from "./import-plan.ts"

const modes: { value: Mode; label: ReactNode }[] = [
  { value: "merge", label: titled("Merge", "keep other items") },
  { value: "replace", label: titled("Replace", "remove other items") },
]

interface ImportOptionsProps {
  detected: Syntax
  /** Undefined while it is detected from the text. */
  chosen: Syntax | undefined
  /** The parts between which can be chosen, such as the services of a Compose file. */
  parts: string[]
  part: string | undefined
  /** Undefined if no values are imported. */
  mode: Mode | undefined
  onChoose: (syntax: Syntax | undefined) => void
  onPart: (part: string | undefined) => void
  onMode: (mode: Mode) => void
}

export function ImportOptions({ detected, chosen, parts, part, mode, onChoose, onPart, onMode }: ImportOptionsProps) {
  return (
    <div className="import-options">
      <NativeSelect
        label="Read as"
        flex="0 1 220px"
        value={chosen ?? ""}
        data={[
          { value: "", label: `Detected: ${syntaxLabels[detected]}` },
          ...syntaxes.map((syntax) => ({ value: syntax, label: syntaxLabels[syntax] })),
        ]}
        onChange={(event) => onChoose(syntaxes.find((syntax) => syntax === event.currentTarget.value))}
      />
      {parts.length > 1 && (
        <NativeSelect
          label="Part to import"
          flex="0 1 220px"
          value={part ?? ""}
          data={[
            { value: "", label: `All ${formatNumber(parts.length)} parts` },
            ...parts.map((one) => ({ value: one, label: one })),
          ]}
          onChange={(event) => onPart(parts.find((one) => one === event.currentTarget.value))}
        />
      )}
      {mode !== undefined && (
        <InlineChoices
          className="import-modes"
          legend="How to import"
          name="mode"
          options={modes}
          chosen={mode}
          onChoose={onMode}
        />
      )}
    </div>
  )
}
