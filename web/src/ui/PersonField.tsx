import { TextInput, type TextInputProps } from "@mantine/core"

/** Names a person exactly: there is no way to list accounts. */
export function PersonField(props: TextInputProps) {
  return (
    <TextInput
      label="Username or email"
      placeholder="ann@example.com"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      {...props}
    />
  )
}
