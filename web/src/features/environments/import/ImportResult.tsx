import { Text } from "@mantine/core"
import { ImportTake } from "./ImportDescribed.tsx"
import { ImportDuplicates } from "./ImportDuplicates.tsx"
import { ImportFaults } from "./ImportFaults.tsx"
import { ImportFindings } from "./ImportFindings.tsx"
import { ImportPreview } from "./ImportPreview.tsx"
import { ImportRecognised } from "./ImportRecognised.tsx"
import type { ImportText } from "./use-import-text.ts"

interface ImportResultProps {
  content: ImportText
  /** Whether values are shown. */
  shown: boolean
  onToggleShown: () => void
}

/** What was read from a text that is not empty, and what importing it would do. */
export function ImportResult({ content, shown, onToggleShown }: ImportResultProps) {
  const { read, isSlow, chosen, take, incoming, plan, skip, choices, setChoices } = content
  return (
    <>
      {isSlow && (
        <Text size="sm" mt="xs" c="dimmed" role="status">
          Reading the text…
        </Text>
      )}
      {!isSlow && read !== undefined && <ImportRecognised read={read} isChosen={chosen !== undefined} />}
      {content.canChooseTake && <ImportTake take={take} onTake={content.setTake} />}
      {take === "values" && read !== undefined && incoming?.refusal === undefined && incoming && plan && (
        <>
          <ImportFaults syntax={read.syntax} incoming={incoming} skip={skip} onSkip={content.setSkip} />
          <ImportDuplicates duplicates={incoming.duplicates} choices={choices} shown={shown} onChoose={setChoices} />
          <ImportFindings read={read} choices={choices} onChoose={setChoices} />
          <ImportPreview plan={plan} shown={shown} onToggleShown={onToggleShown} />
        </>
      )}
    </>
  )
}
