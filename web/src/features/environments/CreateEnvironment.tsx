import { type Environment, environments } from "@envkeep/contract"
import { Button, Text, TextInput } from "@mantine/core"
import { IconKeyboard, IconPlus } from "@tabler/icons-react"
import { type KeyboardEvent, useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useCreateEnvironment } from "./queries.ts"

interface CreateEnvironmentProps {
  collectionId: number
  /** How many environments there are. The form is behind a button once there is one. */
  count: number
  /** Whether the button or the name takes the focus now. */
  focused: boolean
  onFocused: () => void
  onCreated: (environment: Environment) => void
  /** Shows the keyboard shortcuts. */
  onHelp: () => void
}

export function CreateEnvironment({ collectionId, count, ...rest }: CreateEnvironmentProps) {
  const [opened, setOpened] = useState(false)
  // The button and the form replace each other, so the one that appears takes the focus.
  const [replaced, setReplaced] = useState(false)
  const focus = {
    focused: rest.focused || replaced,
    onFocused() {
      setReplaced(false)
      rest.onFocused()
    },
  }
  function show(form: boolean) {
    setOpened(form)
    setReplaced(true)
  }
  function onCreated(environment: Environment) {
    setOpened(false)
    rest.onCreated(environment)
  }
  return opened || count === 0 ? (
    <CreateForm
      {...focus}
      collectionId={collectionId}
      onCancel={count === 0 ? undefined : () => show(false)}
      onCreated={onCreated}
    />
  ) : (
    <CreateButton {...focus} count={count} onClick={() => show(true)} onHelp={rest.onHelp} />
  )
}

interface FocusProps {
  focused: boolean
  onFocused: () => void
}

interface CreateButtonProps extends FocusProps {
  count: number
  onClick: () => void
  onHelp: () => void
}

function CreateButton({ count, focused, onFocused, onClick, onHelp }: CreateButtonProps) {
  const button = useFocusWhen<HTMLButtonElement>(focused, onFocused)
  return (
    <div className="environments__bar">
      <Text size="sm" c="dimmed">
        {count === 1 ? "1 environment" : `${count} environments`}
      </Text>
      <IconButton label="Keyboard shortcuts" className="environments__help" onClick={onHelp}>
        <Icon shape={IconKeyboard} />
      </IconButton>
      <Button ref={button} variant="default" size="xs" leftSection={<Icon shape={IconPlus} />} onClick={onClick}>
        Create environment
      </Button>
    </div>
  )
}

interface CreateFormProps extends FocusProps {
  collectionId: number
  /** Undefined if the form cannot be closed. */
  onCancel: (() => void) | undefined
  onCreated: (environment: Environment) => void
}

function CreateForm({ collectionId, focused, onFocused, onCancel, onCreated }: CreateFormProps) {
  const nameField = useFocusWhen<HTMLInputElement>(focused, onFocused)
  const form = useCallForm(environments.create, { name: "", collectionId })
  const create = useCreateEnvironment(collectionId)

  async function submit() {
    const created = await form.send(create)
    if (created !== undefined) onCreated(created.data)
  }
  const cancelOnEscape = (event: KeyboardEvent) => {
    if (event.key === "Escape") onCancel?.()
  }
  return (
    <Form label="Create environment" className="create-environment" onSubmit={submit}>
      <TextInput
        ref={nameField}
        label="Environment name"
        placeholder="production"
        autoComplete="off"
        onKeyDown={cancelOnEscape}
        {...form.field("name")}
      />
      <SubmitButton className="beside-field">Create environment</SubmitButton>
      {onCancel !== undefined && (
        <Button variant="default" className="beside-field" onClick={onCancel}>
          Cancel
        </Button>
      )}
    </Form>
  )
}
