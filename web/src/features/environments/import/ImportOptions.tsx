import { formats, type ReadableFormatName, readableFormatNames } from "@envkeep/formats"
import { NativeSelect } from "@mantine/core"
import type { Mode } from "./import-plan.ts"

const modes: { mode: Mode; title: string; effect: string }[] = [
  { mode: "merge", title: "Merge", effect: "keep other items" },
  { mode: "replace", title: "Replace", effect: "remove other items" },
]

interface ImportOptionsProps {
  detected: ReadableFormatName
  /** Undefined while the format is detected from the text. */
  chosen: ReadableFormatName | undefined
  mode: Mode
  onChoose: (format: ReadableFormatName | undefined) => void
  onMode: (mode: Mode) => void
}

export function ImportOptions({ detected, chosen, mode, onChoose, onMode }: ImportOptionsProps) {
  return (
    <div className="import-options">
      <NativeSelect
        label="Read as"
        value={chosen ?? ""}
        data={[
          { value: "", label: `Detected: ${formats[detected].label}` },
          ...readableFormatNames.map((format) => ({ value: format, label: formats[format].label })),
        ]}
        onChange={(event) => onChoose(readableFormatNames.find((format) => format === event.currentTarget.value))}
      />
      <fieldset className="import-modes">
        <legend>How to import</legend>
        {modes.map((one) => (
          <label key={one.mode} className="import-modes__choice">
            <input type="radio" name="mode" checked={mode === one.mode} onChange={() => onMode(one.mode)} />
            <span>
              <strong>{one.title}</strong>: {one.effect}
            </span>
          </label>
        ))}
      </fieldset>
    </div>
  )
}
