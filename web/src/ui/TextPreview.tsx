import { Text } from "@mantine/core"
import { CodeArea } from "./CodeArea.tsx"

/** More than fits into the window, and fast to render. */
const previewCharacters = 20_000

/** The beginning of a text that can be copied and downloaded as a whole. */
export function TextPreview({ text, className }: { text: string; className: string }) {
  return (
    <>
      <CodeArea
        aria-label="Preview"
        classNames={{ input: className }}
        readOnly
        value={text.slice(0, previewCharacters)}
      />
      {text.length > previewCharacters && (
        <Text size="sm" c="dimmed" mt={4}>
          This is only the beginning. Copy and Download include everything.
        </Text>
      )}
    </>
  )
}
