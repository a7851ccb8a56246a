import { TextInput } from "@mantine/core"
import { IconTerminal2 } from "@tabler/icons-react"
import type { ClipboardEvent, ReactNode, Ref } from "react"
import { Icon } from "../../ui/Icon.tsx"
import "./item-fields.css"

interface NameFieldProps {
  value: string
  onChange: (value: string) => void
  onPaste?: (event: ClipboardEvent<HTMLInputElement>) => void
  label?: string
  /** Takes the focus when the dialog that it is in opens. */
  "data-autofocus"?: true
  placeholder?: string
  error?: ReactNode
  ref?: Ref<HTMLInputElement>
}

const hint = "Shells cannot export this name: use letters, digits and _, and no digit first"

/** The name of an item. Any name can be stored, but one that no shell can export gets a hint, shown in full on focus. */
export function NameField({ label, onChange, ref, ...rest }: NameFieldProps) {
  const name = rest.value.trim()
  const isHinted = name !== "" && !isExportable(name)
  return (
    <TextInput
      {...rest}
      {...(ref !== undefined && { ref })}
      {...(label === undefined ? { "aria-label": "Name" } : { label })}
      classNames={{ input: "name-text", description: "name-hint shown-in-focus" }}
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...(isHinted && {
        description: hint,
        rightSection: (
          <span title={hint} className="name-hint-sign">
            <Icon shape={IconTerminal2} />
          </span>
        ),
      })}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** What `export NAME=value` accepts in every shell. */
export function isExportable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}
