import { Button, Group, Text } from "@mantine/core"
import { copy } from "../../lib/clipboard.ts"
import { download } from "../../lib/download.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { TextPreview } from "../../ui/TextPreview.tsx"
import { useExample } from "./queries.ts"

/** Browsers drop a dot at the start of a name. */
const fileName = "env.example"

interface ExampleDialogProps {
  opened: boolean
  collectionId: number
  /** Without one, the names of all environments. */
  environment?: { id: number; name: string }
  onClose: () => void
}

export function ExampleDialog({ opened, collectionId, environment, onClose }: ExampleDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={environment === undefined ? "Export .env.example" : `Export ${environment.name}: .env.example`}
      size="lg"
    >
      <Text size="sm" c="dimmed" mb="sm">
        Names, descriptions and examples. It has no values, so it can be shared and committed.
      </Text>
      <Content collectionId={collectionId} environmentId={environment?.id} />
    </Dialog>
  )
}

function Content({ collectionId, environmentId }: { collectionId: number; environmentId: number | undefined }) {
  const { data, error, refetch } = useExample(collectionId, environmentId)
  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="The file could not be made" message={error.message} onRetry={refetch} />
  }
  const { text } = data
  if (text === "") return <Text size="sm">There is nothing to export: there are no names yet.</Text>
  return (
    <>
      <TextPreview text={text} className="example-preview" />
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={() => copy(text)}>
          Copy
        </Button>
        <Button data-autofocus onClick={() => download(fileName, text, "text/plain; charset=utf-8")}>
          {`Download ${fileName}`}
        </Button>
      </Group>
    </>
  )
}
