import { PasswordInput } from "@mantine/core"
import type { Ref } from "react"

interface PasswordFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  autoComplete: "current-password" | "new-password"
  description?: string
  wrong?: boolean
  ref?: Ref<HTMLInputElement>
}

export function PasswordField({ onChange, wrong = false, description, ...rest }: PasswordFieldProps) {
  return (
    <PasswordInput
      {...rest}
      {...(description !== undefined && { description })}
      error={wrong}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleFocusable
      // Not called after the field: its label must name one control only.
      visibilityToggleButtonProps={{ "aria-label": "Show characters" }}
    />
  )
}
