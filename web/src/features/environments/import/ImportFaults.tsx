import { Alert, Text } from "@mantine/core"
import { LongList } from "../../../ui/LongList.tsx"
import { ScrollBox } from "../../../ui/ScrollBox.tsx"
import type { Incoming } from "./import-text.ts"

interface ImportFaultsProps {
  incoming: Incoming
  leaveOut: boolean
  onLeaveOut: (leaveOut: boolean) => void
}

/** What stands in the way of an import. It goes on without it only when somebody says so. */
export function ImportFaults({ incoming, leaveOut, onLeaveOut }: ImportFaultsProps) {
  const { format, faults, refused } = incoming
  const problems = [
    ...faults.map(({ line, reason }) => ({ what: `Line ${line.toLocaleString("en-US")}`, reason })),
    ...refused.map(({ name, reason }) => ({ what: name === "" ? "A variable without a name" : name, reason })),
  ].map((problem, key) => ({ ...problem, key }))
  if (problems.length === 0) return null
  return (
    // No alert by its role: it would be read out anew at every key that is typed.
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
      {format === "json" && faults.length > 0 && (
        <Text size="sm" mt="xs">
          JSON is read up to the first place where it is broken.
        </Text>
      )}
      <label className="import-faults__choice">
        <input type="checkbox" checked={leaveOut} onChange={(event) => onLeaveOut(event.currentTarget.checked)} />
        Leave these out and import the rest
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

function counted(count: number, what: string): string {
  return `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`
}
