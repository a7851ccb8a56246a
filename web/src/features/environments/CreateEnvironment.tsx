import { type Environment, environments } from "@envkeep/contract"
import { Button, Text, TextInput } from "@mantine/core"
import { IconKeyboard, IconPlus } from "@tabler/icons-react"
import { type KeyboardEvent, useEffect, useEffectEvent, useState } from "react"
import { useNewEnvironmentArrival } from "../../lib/arrival.ts"
import { useCallForm } from "../../lib/call-form.ts"
import { notify } from "../../lib/notify.ts"
import { counted } from "../../ui/counts.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { leftOut } from "../copy/words.ts"
import { useCreateEnvironment } from "./queries.ts"
import { type Start, StartFrom } from "./StartFrom.tsx"

interface CreateEnvironmentProps {
  collectionId: number
  /** The form is behind a button once there is one. */
  environments: Environment[]
  canCreate: boolean
  /** Whether the button or the name takes the focus now. */
  focused: boolean
  onFocused: () => void
  onCreated: (environment: Environment) => void
  /** Shows the keyboard shortcuts. */
  onHelp: () => void
}

export function CreateEnvironment({
  collectionId,
  environments: existing,
  canCreate,
  ...rest
}: CreateEnvironmentProps) {
  const count = existing.length
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
  const arrival = useNewEnvironmentArrival()
  const arrive = useEffectEvent(() => {
    show(true)
    arrival.onArrived()
  })
  useEffect(() => {
    if (arrival.isAsked) arrive()
  }, [arrival.isAsked])
  function onCreated(environment: Environment) {
    setOpened(false)
    rest.onCreated(environment)
  }
  if (!canCreate && count === 0) return null
  return canCreate && (opened || count === 0) ? (
    <CreateForm
      {...focus}
      collectionId={collectionId}
      existing={existing}
      onCancel={count === 0 ? undefined : () => show(false)}
      onCreated={onCreated}
    />
  ) : (
    <CreateButton {...focus} count={count} onClick={canCreate ? () => show(true) : undefined} onHelp={rest.onHelp} />
  )
}

interface FocusProps {
  focused: boolean
  onFocused: () => void
}

interface CreateButtonProps extends FocusProps {
  count: number
  /** Undefined if the user's role does not allow it. */
  onClick: (() => void) | undefined
  onHelp: () => void
}

function CreateButton({ count, focused, onFocused, onClick, onHelp }: CreateButtonProps) {
  const button = useFocusWhen<HTMLButtonElement>(focused, onFocused)
  return (
    <div className="environments__bar">
      <Text size="sm" c="dimmed">
        {counted(count, "environment")}
      </Text>
      <IconButton label="Keyboard shortcuts" className="environments__help" onClick={onHelp}>
        <Icon shape={IconKeyboard} />
      </IconButton>
      {onClick !== undefined && (
        <Button ref={button} variant="default" size="xs" leftSection={<Icon shape={IconPlus} />} onClick={onClick}>
          Create environment
        </Button>
      )}
    </div>
  )
}

interface CreateFormProps extends FocusProps {
  collectionId: number
  /** What a new one can start from. */
  existing: Environment[]
  /** Undefined if the form cannot be closed. */
  onCancel: (() => void) | undefined
  onCreated: (environment: Environment) => void
}

function CreateForm({ collectionId, existing, focused, onFocused, onCancel, onCreated }: CreateFormProps) {
  const nameField = useFocusWhen<HTMLInputElement>(focused, onFocused)
  const form = useCallForm(environments.create, { name: "", collectionId })
  const create = useCreateEnvironment(collectionId)
  const [start, setStart] = useState<Start>()

  async function submit() {
    const created = await form.send((input, onRefused) => create({ ...input, from: start }, onRefused))
    if (created === undefined) return
    if (created.data.damaged > 0) notify.warning(leftOut(created.data.damaged))
    onCreated(created.data)
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
      {existing.length > 0 && <StartFrom existing={existing} start={start} onStart={setStart} />}
      <SubmitButton className="beside-field">Create environment</SubmitButton>
      {onCancel !== undefined && (
        <Button variant="default" className="beside-field" onClick={onCancel}>
          Cancel
        </Button>
      )}
    </Form>
  )
}
