import { Textarea, TextInput } from "@mantine/core"
import { type KeyboardEvent, useState } from "react"

interface InPlaceTextProps {
  label: string
  placeholder: string
  value: string
  multiline?: boolean
  isCode?: boolean
  /** Resolves to the sentence with which it was refused, if it was. */
  onSave: (text: string) => Promise<string | undefined>
}

/** A text that is saved when the field is left or with Enter. Escape brings the stored text back. */
export function InPlaceText({
  label,
  placeholder,
  value,
  multiline = false,
  isCode = false,
  onSave,
}: InPlaceTextProps) {
  const [typed, setTyped] = useState<string>()
  const [refusal, setRefusal] = useState<string>()

  async function save() {
    if (typed === undefined) return
    const refused = typed === value ? undefined : await onSave(typed)
    setRefusal(refused)
    // What was typed since then is not saved yet.
    if (refused === undefined) setTyped((now) => (now === typed ? undefined : now))
  }
  function handleKey(event: KeyboardEvent<HTMLElement>) {
    if (event.nativeEvent.isComposing) return
    if (event.key === "Escape") {
      setTyped(undefined)
      setRefusal(undefined)
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault()
      void save()
    }
  }
  const props = {
    "aria-label": label,
    placeholder,
    value: typed ?? value,
    error: refusal,
    classNames: { input: isCode ? "in-place name-text" : "in-place" },
    onBlur: save,
    onKeyDown: handleKey,
  }
  return multiline ? (
    <Textarea {...props} rows={1} onChange={(event) => setTyped(event.currentTarget.value)} />
  ) : (
    <TextInput
      {...props}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  )
}
