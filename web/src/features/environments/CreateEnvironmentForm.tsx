import { environments } from "@envkeep/contract"
import { TextInput } from "@mantine/core"
import { useCallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useFocusWhen } from "../../ui/use-focus-when.ts"
import { useCreateEnvironment } from "./queries.ts"

interface CreateEnvironmentFormProps {
  collectionId: number
  /** Whether the name takes the focus now. */
  focused: boolean
  onFocused: () => void
}

export function CreateEnvironmentForm({ collectionId, focused, onFocused }: CreateEnvironmentFormProps) {
  const nameField = useFocusWhen<HTMLInputElement>(focused, onFocused)
  const form = useCallForm(environments.create, { name: "", collectionId })
  const create = useCreateEnvironment(collectionId)

  async function submit() {
    if ((await form.send(create)) !== undefined) form.reset()
  }
  return (
    <Form label="Create environment" className="create-environment" onSubmit={submit}>
      <TextInput
        ref={nameField}
        label="Environment name"
        placeholder="production"
        autoComplete="off"
        {...form.field("name")}
      />
      <SubmitButton className="beside-field">Create environment</SubmitButton>
    </Form>
  )
}
