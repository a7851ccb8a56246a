import { Textarea } from "@mantine/core"
import type { KeyboardEvent, Ref } from "react"

interface ValueFieldProps {
  value: string
  onChange: (value: string) => void
  label?: string
  masked?: boolean
  placeholder?: string
  /** True marks the field, a sentence says why. */
  error?: string | boolean | undefined
  ref?: Ref<HTMLTextAreaElement>
}

/**
 * A text area even while masked, so that editing keeps the line breaks of a value. Enter submits the form as in any other
 * field, Shift+Enter adds a line.
 */
export function ValueField({
  onChange,
  label,
  masked = false,
  placeholder = "",
  error = false,
  value,
  ref,
}: ValueFieldProps) {
  function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.currentTarget.form?.requestSubmit()
  }
  return (
    <Textarea
      {...(ref !== undefined && { ref })}
      {...(label === undefined ? { "aria-label": "Value" } : { label })}
      classNames={{ input: masked ? "value-text value-text--masked" : "value-text" }}
      rows={1}
      {...(!masked && { autosize: true, minRows: 1, maxRows: 14 })}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      placeholder={placeholder}
      error={error}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={sendOnEnter}
    />
  )
}
