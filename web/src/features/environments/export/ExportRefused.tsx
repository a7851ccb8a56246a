import type { Item } from "@envkeep/contract"
import { type FormatName, formats, type Refused } from "@envkeep/formats"
import { Alert, Button, Group, Text } from "@mantine/core"
import { useMemo } from "react"
import { plural } from "../../../ui/counts.ts"
import { LongList } from "../../../ui/LongList.tsx"
import { ScrollBox } from "../../../ui/ScrollBox.tsx"
import { workingFormats } from "./export-text.ts"

interface ExportRefusedProps {
  items: Item[]
  refused: Refused[]
  onChoose: (format: FormatName) => void
}

/** Shown when the format cannot hold every variable: which ones and why, and which formats can. */
export function ExportRefused({ items, refused, onChoose }: ExportRefusedProps) {
  const working = useMemo(() => workingFormats(items), [items])
  return (
    <>
      <Alert
        className="danger-note"
        title={plural(refused.length, "One variable does not fit", "Some variables do not fit")}
      >
        <ScrollBox label="What does not fit">
          <LongList
            label="Refused variables"
            rows={refused}
            keyOf={({ name }) => name}
            render={({ name, reason }) => (
              <>
                <code className="breaks-anywhere">{name}</code>: {reason}
              </>
            )}
          />
        </ScrollBox>
      </Alert>
      <Text size="sm" mt="md" mb={6}>
        These formats can hold all of them:
      </Text>
      <Group gap="xs">
        {working.map((format) => (
          <Button key={format} variant="default" size="xs" onClick={() => onChoose(format)}>
            {formats[format].label}
          </Button>
        ))}
      </Group>
    </>
  )
}
