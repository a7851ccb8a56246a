import type { Environment } from "@envkeep/contract"
import { Alert, Button, Group, Text, Textarea } from "@mantine/core"
import { useState } from "react"
import { copy } from "../../lib/clipboard.ts"
import { notify } from "../../lib/notify.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Names } from "../../ui/Names.tsx"
import { useSaveAllItems } from "./queries.ts"
import { mergeRaw, rawText } from "./raw-text.ts"

interface RawDialogProps {
  environment: Environment
  opened: boolean
  onClose: () => void
}

export function RawDialog({ environment, opened, onClose }: RawDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={`Raw values of ${environment.name}`}
      size="xl"
      // A click beside the dialog is too easily made to throw away a page of text.
      closesOutside={false}
    >
      <RawForm environment={environment} onClose={onClose} />
    </Dialog>
  )
}

function RawForm({ environment, onClose }: Omit<RawDialogProps, "opened">) {
  // As it was when the dialog opened: a reload in the background must not change the text under the cursor.
  const [before] = useState(() => rawText(environment.collectionItems))
  const [text, setText] = useState(before.text)
  const saveAll = useSaveAllItems(environment.collectionId)

  async function confirm() {
    const { lines, all } = mergeRaw(text, before.kept)
    if (lines.length === 0) return notify.error("No data found")
    const lost = before.damaged.filter((name) => !all.some((variable) => variable.name === name))
    if (lost.length > 0) return notify.warning(`Give ${lost.join(", ")} a value or delete it first: it cannot be read`)
    if ((await saveAll({ id: environment.id, items: all })) !== undefined) onClose()
  }
  return (
    <Form onSubmit={confirm}>
      <Text size="sm" c="dimmed" mb="sm">
        One <code>NAME=value</code> a line. Confirming makes the environment hold exactly these lines.
      </Text>
      <Textarea
        aria-label="Raw values"
        classNames={{ input: "raw-text" }}
        data-autofocus
        spellCheck={false}
        autoComplete="off"
        placeholder={"DATABASE_URL=postgres://localhost/app\nPORT=8080"}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {before.kept.length > 0 && (
        <Alert className="raw-note" mt="sm" title="Values with line breaks are kept as they are">
          A line cannot hold them, so they are not in this text: <Names names={before.kept.map(({ name }) => name)} />
        </Alert>
      )}
      {before.damaged.length > 0 && (
        <Alert className="danger-note" mt="sm" title="Damaged items">
          The stored values of these cannot be read. Give them new ones here, or delete them first:{" "}
          <Names names={before.damaged} />
        </Alert>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button variant="default" onClick={() => copy(text)}>
          Copy
        </Button>
        <SubmitButton>Confirm</SubmitButton>
      </Group>
    </Form>
  )
}
