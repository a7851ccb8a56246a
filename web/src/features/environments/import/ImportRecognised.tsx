import { Alert, Text } from "@mantine/core"
import type { ReadText } from "./read-text.ts"

/** What the text was taken for, and why; or why it is not imported. */
export function ImportRecognised({
  read: { what, because, refusal },
  isChosen,
}: {
  read: ReadText
  isChosen: boolean
}) {
  if (refusal !== undefined) return <ImportRefusal refusal={refusal} />
  return (
    <Text size="sm" mt="xs" c="dimmed" className="breaks-anywhere">
      {isChosen ? "Read as " : "Recognised: "}
      <strong>{what}</strong>
      {isChosen ? ", as you chose." : `, because ${because}.`}
    </Text>
  )
}

export function ImportRefusal({ refusal }: { refusal: string }) {
  return (
    <Alert role="alert" className="danger-note" mt="sm" title="This cannot be imported">
      {`${refusal}.`}
    </Alert>
  )
}
