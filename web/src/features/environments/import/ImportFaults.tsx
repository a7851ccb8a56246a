import type { Syntax } from "@envkeep/formats/import"
import { Alert, Text } from "@mantine/core"
import { counted, formatNumber } from "../../../ui/counts.ts"
import { LongList } from "../../../ui/LongList.tsx"
import { ScrollBox } from "../../../ui/ScrollBox.tsx"
import type { Incoming } from "./incoming.ts"

/** What an error means for the rest of the text. */
const howFar: Partial<Record<Syntax, string>> = {
  json: "JSON is read up to its first error.",
  yaml: "A YAML document with an error in it is not read.",
}

interface ImportFaultsProps {
  syntax: Syntax
  incoming: Incoming
  skip: boolean
  onSkip: (skip: boolean) => void
}

/** What cannot be imported. The import skips it only if the user chooses to. */
export function ImportFaults({ syntax, incoming, skip, onSkip }: ImportFaultsProps) {
  const { faults, refused } = incoming
  const problems = [
    ...faults.map(({ line, reason }) => ({ what: `Line ${formatNumber(line)}`, reason })),
    ...refused.map(({ name, reason }) => ({ what: name === "" ? "A variable without a name" : name, reason })),
  ].map((problem, key) => ({ ...problem, key }))
  if (problems.length === 0) return null
  return (
    // Not role="alert": screen readers would read it again at every key.
    <Alert role="group" className="danger-note" mt="sm" title={title(faults.length, refused.length)}>
      <ScrollBox label="What cannot be imported">
        <LongList
          label="What cannot be imported"
          rows={problems}
          keyOf={({ key }) => key}
          render={({ what, reason }) => (
            <Text size="sm" className="breaks-anywhere">
              <strong className="import-faults__what">{what}</strong>: {reason}
            </Text>
          )}
        />
      </ScrollBox>
      {faults.length > 0 && howFar[syntax] !== undefined && (
        <Text size="sm" mt="xs">
          {howFar[syntax]}
        </Text>
      )}
      <label className="import-faults__choice inline-choice">
        <input type="checkbox" checked={skip} onChange={(event) => onSkip(event.currentTarget.checked)} />
        Skip these and import the rest
      </label>
    </Alert>
  )
}

function title(unreadable: number, refused: number): string {
  const parts = [
    ...(unreadable > 0 ? [`${counted(unreadable, "line")} cannot be read`] : []),
    ...(refused > 0 ? [`${counted(refused, "variable")} cannot be stored`] : []),
  ]
  return parts.join(", ")
}
