import { PasswordInput } from "@mantine/core"
import type { Ref } from "react"

interface PasswordFieldProps {
  label: string
  value: string
  onChange: (change: unknown) => void
  error: string | undefined
  autoComplete: "current-password" | "new-password"
  description?: string
  /** The field that a dialog focuses when it opens. */
  "data-autofocus"?: boolean
  ref?: Ref<HTMLInputElement>
}

export function PasswordField({ description, ...rest }: PasswordFieldProps) {
  return (
    <PasswordInput
      {...rest}
      {...(description !== undefined && { description })}
      // Mantine marks the wrapper of this input as invalid, not the input itself.
      {...(rest.error !== undefined && { "aria-invalid": true })}
      // Not a stop of the Tab key, which goes on to the next field. A name of its own: the field's label must belong to
      // one control only.
      visibilityToggleButtonProps={{ "aria-label": "Show characters" }}
    />
  )
}
