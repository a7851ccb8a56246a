import type { Environment } from "@envkeep/contract"
import { type FormatName, formats } from "@envkeep/formats"
import { Alert, Button, Group, Text } from "@mantine/core"
import { type ReactNode, useMemo, useState } from "react"
import { copy } from "../../../lib/clipboard.ts"
import { download } from "../../../lib/download.ts"
import { effectiveItems, type Inheritance } from "../../../lib/inheritance.ts"
import { useMaskWhenIdle } from "../../../lib/mask-after.ts"
import { counted } from "../../../ui/counts.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Names } from "../../../ui/Names.tsx"
import { ShowValues } from "../../../ui/ShowValues.tsx"
import { TextPreview } from "../../../ui/TextPreview.tsx"
import { inheritedFrom } from "../inherited-from.ts"
import { ExportRefused } from "./ExportRefused.tsx"
import { exported, fileName, readersOf } from "./export-text.ts"

interface ExportDialogProps {
  environment: Environment
  inheritance: Inheritance
  unsaved: number
  format: FormatName
  onChoose: (format: FormatName) => void
  opened: boolean
  onClose: () => void
}

export function ExportDialog({ opened, ...rest }: ExportDialogProps) {
  const { environment, format, onClose } = rest
  const title = `Export ${environment.name}: ${formats[format].label}`
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size="lg">
      <Content {...rest} />
    </Dialog>
  )
}

function Content({ environment, inheritance, unsaved, format, ...on }: Omit<ExportDialogProps, "opened">) {
  const { onChoose, onClose } = on
  const items = useMemo(() => effectiveItems(environment, inheritance), [environment, inheritance])
  const { count, damaged, printed } = useMemo(() => exported(format, items), [format, items])
  const file = fileName(environment.name, format)
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {`For ${readersOf(format)}.`}
        {inheritance.items.length > 0 && ` With what it inherits: ${inheritedFrom(inheritance)}.`}
        {unsaved > 0 && ` It contains saved values only, without your ${counted(unsaved, "unsaved row")}.`}
      </Text>
      {damaged.length > 0 && (
        <Alert className="danger-note" mb="sm" title="Damaged items are left out">
          Their stored values cannot be read: <Names names={damaged} />
        </Alert>
      )}
      {count === 0 && <Text size="sm">There is nothing to export: this environment has no items with a value.</Text>}
      {count > 0 && "refused" in printed && (
        <ExportRefused items={items} refused={printed.refused} onChoose={onChoose} />
      )}
      {count > 0 && "text" in printed ? (
        <Preview key={format} {...printed}>
          <Button variant="default" onClick={() => copy(printed.text)}>
            Copy
          </Button>
          <Button autoFocus data-autofocus onClick={() => download(file, printed.text, formats[format].mediaType)}>
            {`Download ${file}`}
          </Button>
        </Preview>
      ) : (
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      )}
    </>
  )
}

function Preview({ text, masked, children }: { text: string; masked: string; children: ReactNode }) {
  const [shown, setShown] = useState(false)
  useMaskWhenIdle(shown, () => setShown(false))
  return (
    <>
      <TextPreview text={shown ? text : masked} className="export-preview" />
      <div className="export-actions">
        <ShowValues shown={shown} onToggle={() => setShown(!shown)} />
        {children}
      </div>
    </>
  )
}
