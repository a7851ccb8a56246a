import { Button, Group, Stack, Text } from "@mantine/core"
import { useDeferredValue, useMemo, useRef, useState } from "react"
import { notify } from "../../lib/notify.ts"
import { CodeArea } from "../../ui/CodeArea.tsx"
import { counted } from "../../ui/counts.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useFileDrop } from "../../ui/use-file-drop.ts"
import { CheckField } from "./CheckField.tsx"
import { FoundDescriptions } from "./FoundDescriptions.tsx"
import { isExampleFile, newDescriptions } from "./found-descriptions.ts"
import { type Abouts, useDescribeMany } from "./queries.ts"

interface ImportDescriptionsProps {
  collectionId: number
  abouts: Abouts
  opened: boolean
  onClose: () => void
}

/** Takes descriptions from the comments of a `.env.example` or `.env.schema`. Values are not stored. */
export function ImportDescriptions({ opened, onClose, ...rest }: ImportDescriptionsProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Import descriptions" size="xl" closesOutside={false} fillsPhone>
      <ImportForm {...rest} onClose={onClose} />
    </Dialog>
  )
}

/** A file that cannot be read is forgotten once another one is read. */
const fileTopic = "file with descriptions"
const maxFileBytes = 1024 * 1024

function ImportForm({ collectionId, abouts, onClose }: Omit<ImportDescriptionsProps, "opened">) {
  const [text, setText] = useState("")
  const [withExamples, setWithExamples] = useState(false)
  const [replaces, setReplaces] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const describeMany = useDescribeMany(collectionId)
  const settled = useDeferredValue(text.slice(0, maxFileBytes))
  const found = useMemo(
    () => newDescriptions(settled, abouts, { withExamples, replaces }),
    [settled, abouts, withExamples, replaces],
  )
  const isOver = useFileDrop(take)

  async function take([file]: File[]) {
    if (file === undefined) return
    const content = file.size > maxFileBytes ? undefined : await file.text()
    if (content === undefined || content.includes("\0")) {
      const why = content === undefined ? "is larger than 1 MiB" : "is not a text file"
      return notify.error(`This file ${why}, so it cannot be imported`, fileTopic)
    }
    notify.settled(fileTopic)
    setText(content)
    setWithExamples(isExampleFile(file.name))
  }
  async function submit() {
    if (await describeMany(found)) onClose()
  }
  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed" flex="1 1 260px">
            Paste the text of a .env.example or .env.schema, drop a file here, or choose one. The comments above the
            names become descriptions.
          </Text>
          <Button variant="default" size="xs" onClick={() => picker.current?.click()}>
            Choose a file
          </Button>
          <input
            ref={picker}
            type="file"
            hidden
            onChange={(event) => {
              void take([...(event.currentTarget.files ?? [])])
              // So that the same file can be chosen again after it was corrected.
              event.currentTarget.value = ""
            }}
          />
        </Group>
        <CodeArea
          aria-label="Text with descriptions"
          classNames={{ input: isOver ? "example-preview example-preview--over" : "example-preview" }}
          data-autofocus
          autoComplete="off"
          placeholder={"# Where the app listens\n# @required @type=port\nPORT=3000"}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <CheckField
          label="Use the values as examples"
          description="Everyone with access to the collection sees examples. Leave it off if the file has real values."
          checked={withExamples}
          onChange={setWithExamples}
        />
        <CheckField label="Replace what is described already" checked={replaces} onChange={setReplaces} />
        <FoundDescriptions found={found} />
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed" role="status">
            {text.trim() !== "" && found.length === 0 && "There is nothing new in this text."}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <SubmitButton disabled={found.length === 0}>
              {found.length === 0 ? "Import" : `Import ${counted(found.length, "name")}`}
            </SubmitButton>
          </Group>
        </Group>
      </Stack>
    </Form>
  )
}
