import { environments } from "@envkeep/contract"
import { TextInput } from "@mantine/core"
import { useCallForm } from "../../lib/call-form.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useCreateEnvironment } from "./queries.ts"
import "./environments.css"

export function CreateEnvironmentForm({ collectionId }: { collectionId: number }) {
  const form = useCallForm(environments.create, { name: "", collectionId })
  const create = useCreateEnvironment(collectionId)

  async function submit() {
    if ((await form.send(create)) !== undefined) form.reset()
  }
  return (
    <Form label="Create environment" className="create-environment" onSubmit={submit}>
      <TextInput label="Environment name" placeholder="production" autoComplete="off" {...form.field("name")} />
      <SubmitButton>Create environment</SubmitButton>
    </Form>
  )
}
