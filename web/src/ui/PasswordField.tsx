import { PasswordInput } from "@mantine/core"
import type { Ref } from "react"

interface PasswordFieldProps {
  label: string
  value: string
  onChange: (change: unknown) => void
  error: boolean
  autoComplete: "current-password" | "new-password"
  description?: string
  ref?: Ref<HTMLInputElement>
}

export function PasswordField({ description, ...rest }: PasswordFieldProps) {
  return (
    <PasswordInput
      {...rest}
      {...(description !== undefined && { description })}
      // Mantine marks the frame around this input, not the input itself.
      {...(rest.error && { "aria-invalid": true })}
      visibilityToggleFocusable
      // Not called after the field: its label must name one control only.
      visibilityToggleButtonProps={{ "aria-label": "Show characters" }}
    />
  )
}
