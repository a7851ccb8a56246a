import { Textarea } from "@mantine/core"
import type { ClipboardEvent, FocusEvent, KeyboardEvent, Ref } from "react"
import { blankWords } from "../../ui/blank-text.ts"
import "./item-fields.css"

interface ValueFieldProps {
  value: string
  onChange: (value: string) => void
  onFocus?: (event: FocusEvent<HTMLTextAreaElement>) => void
  onPaste?: (event: ClipboardEvent<HTMLTextAreaElement>) => void
  label?: string
  /** Takes the focus when the dialog that it is in opens. */
  "data-autofocus"?: true
  masked?: boolean
  placeholder?: string
  /** True marks the field, a sentence says why. */
  error?: string | boolean | undefined
  ref?: Ref<HTMLTextAreaElement>
}

/** A longer value is scrolled. The style sheet has the same number. */
const maxLines = 14

/**
 * A text area even while masked, so that editing keeps the line breaks of a value. Enter submits the form as in any other
 * field, Shift+Enter adds a line. The style sheet makes it as high as its content; Mantine's way would replace the element
 * when a value is masked or shown, and so lose the focus.
 */
export function ValueField({ onChange, label, masked = false, placeholder = "", ref, ...rest }: ValueFieldProps) {
  function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.currentTarget.form?.requestSubmit()
  }
  const blank = masked ? undefined : blankWords(rest.value)
  return (
    <Textarea
      {...rest}
      {...(blank !== undefined && {
        rightSection: <span className="chip">{blank}</span>,
        rightSectionWidth: "auto",
        rightSectionProps: { className: "value-blank" },
      })}
      {...(ref !== undefined && { ref })}
      {...(label === undefined ? { "aria-label": "Value" } : { label })}
      classNames={{ input: masked ? "value-text value-text--masked" : "value-text" }}
      rows={masked ? 1 : Math.min(rest.value.split("\n").length, maxLines)}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      placeholder={placeholder}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={sendOnEnter}
    />
  )
}
