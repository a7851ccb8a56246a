import { limits } from "@envkeep/contract"
import { binaryText, isBinary, tooLongToImport } from "@envkeep/formats/import"
import { Button, Text } from "@mantine/core"
import { type ClipboardEvent, useRef } from "react"
import { useMaskedField } from "../../../lib/mask-after.ts"
import { notify } from "../../../lib/notify.ts"
import { CodeArea } from "../../../ui/CodeArea.tsx"
import { useFileDrop } from "../../../ui/use-file-drop.ts"
import { readFile } from "./import-file.ts"

/** What cannot be read is forgotten once something else is read. */
const sourceTopic = "text to import"

/** A browser takes seconds to lay out a longer text in a field. */
const maxFieldCharacters = 1_000_000

/** Why a text is not even put into the field. */
export function textRefusal(text: string): string | undefined {
  if (text.length > limits.bulkBodyBytes) return tooLongToImport
  return isBinary(text) ? binaryText : undefined
}

interface ImportSourceProps {
  text: string
  /** The name of the file that the text is from. */
  file: string | undefined
  /** Whether values are visible. Typed or pasted text is while the page is used; the text of a file is masked until then. */
  shown: boolean
  onText: (text: string, file: string | undefined) => void
}

/** Where the text comes from: pasted, dropped or chosen. The text of a file can be edited too. */
export function ImportSource({ text, file, shown, onText }: ImportSourceProps) {
  const picker = useRef<HTMLInputElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const over = useFileDrop(take)

  async function take(files: File[]) {
    const read = await readFile(files)
    if ("refusal" in read) return notify.error(read.refusal, sourceTopic)
    notify.settled(sourceTopic)
    onText(read.text, read.name)
  }
  function type(next: string) {
    onText(next, next === "" ? undefined : file)
  }
  /** Looks at a pasted text before the field takes it, because a field takes long for a very long one. */
  function paste(event: ClipboardEvent<HTMLTextAreaElement>) {
    const pasted = event.clipboardData.getData("text/plain")
    const refusal = textRefusal(pasted)
    if (refusal !== undefined) {
      event.preventDefault()
      notify.error(refusal, sourceTopic)
    } else if (text.length + pasted.length > maxFieldCharacters) {
      event.preventDefault()
      const { selectionStart, selectionEnd } = event.currentTarget
      const whole = text.slice(0, selectionStart) + pasted + text.slice(selectionEnd)
      if (whole.length > limits.bulkBodyBytes) notify.error(tooLongToImport, sourceTopic)
      else onText(whole, file)
    } else notify.settled(sourceTopic)
  }
  const { isMasked, show } = useMaskedField(field)
  const masked = isMasked || (file !== undefined && !shown)
  return (
    <div className={over ? "import-source import-source--over" : "import-source"}>
      <div className="import-source__head">
        <Text size="sm" c="dimmed">
          Paste a .env, JSON or YAML file, export lines, or what another product exports. Or drop a file here.
        </Text>
        <Button variant="default" size="xs" onClick={() => picker.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={picker}
          type="file"
          hidden
          onChange={(event) => {
            const { files } = event.currentTarget
            if (files !== null && files.length > 0) take([...files])
            // So that the same file can be chosen again after it was corrected.
            event.currentTarget.value = ""
          }}
        />
      </div>
      {text.length > maxFieldCharacters ? (
        <LongText text={text} onClear={() => type("")} />
      ) : (
        <CodeArea
          aria-label="Text to import"
          ref={field}
          classNames={{ input: "import-text" }}
          masked={masked}
          onFocus={show}
          data-autofocus
          autoComplete="off"
          placeholder={"DATABASE_URL=postgres://localhost/app\nPORT=8080"}
          value={text}
          onPaste={paste}
          onChange={(event) => type(event.currentTarget.value)}
        />
      )}
      {file !== undefined && (
        <Text size="sm" mt={4} role="status" className="breaks-anywhere">
          {`Read from ${file}`}
        </Text>
      )}
    </div>
  )
}

/** In place of the field, for a text that is too long to edit. */
function LongText({ text, onClear }: { text: string; onClear: () => void }) {
  const millions = (text.length / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })
  return (
    <div className="import-long">
      <Text size="sm" role="status">
        {`A text of ${millions} million characters, too long to edit here. The preview shows what is in it.`}
      </Text>
      <Button variant="default" size="xs" onClick={onClear}>
        Clear
      </Button>
    </div>
  )
}
