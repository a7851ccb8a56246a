import { Button, Text, Textarea } from "@mantine/core"
import { useRef, useState } from "react"
import { notify } from "../../../lib/notify.ts"
import { useFileDrop } from "../../../ui/use-file-drop.ts"
import { readFile } from "./import-file.ts"

/** A file that cannot be read is forgotten once another one is read. */
const fileTopic = "file to import"

interface ImportSourceProps {
  text: string
  /** Whether values are visible. Typed or pasted text always is; the text of a file is masked until then. */
  shown: boolean
  onText: (text: string) => void
}

/** Where the text comes from: pasted, dropped or chosen. The text of a file can be edited too. */
export function ImportSource({ text, shown, onText }: ImportSourceProps) {
  const picker = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<string>()
  const over = useFileDrop(take)

  async function take(files: File[]) {
    const read = await readFile(files)
    if ("refusal" in read) return notify.error(read.refusal, fileTopic)
    notify.settled(fileTopic)
    setFile(read.name)
    onText(read.text)
  }
  function type(next: string) {
    if (next === "") setFile(undefined)
    onText(next)
  }
  const masked = file !== undefined && !shown
  return (
    <div className={over ? "import-source import-source--over" : "import-source"}>
      <div className="import-source__head">
        <Text size="sm" c="dimmed">
          Paste the text of a .env or JSON file, drop a file here, or choose one.
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
      <Textarea
        aria-label="Text to import"
        classNames={{ input: masked ? "code-area import-text import-text--masked" : "code-area import-text" }}
        data-autofocus
        spellCheck={false}
        autoComplete="off"
        placeholder={"DATABASE_URL=postgres://localhost/app\nPORT=8080"}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
      />
      {file !== undefined && (
        <Text size="sm" mt={4} role="status" className="breaks-anywhere">
          {`Read from ${file}`}
        </Text>
      )}
    </div>
  )
}
