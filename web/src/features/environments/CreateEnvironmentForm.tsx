import { TextInput } from "@mantine/core"
import { useState } from "react"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useCreateEnvironment } from "./queries.ts"
import "./environments.css"

export function CreateEnvironmentForm({ collectionId }: { collectionId: number }) {
  const [name, setName] = useState("")
  const [tried, setTried] = useState(false)
  const create = useCreateEnvironment(collectionId)

  async function submit() {
    const done = await create({ name, collectionId })
    setTried(done === undefined)
    if (done !== undefined) setName("")
  }
  return (
    <Form label="Create environment" className="create-environment" onSubmit={submit}>
      <TextInput
        label="Environment name"
        placeholder="production"
        autoComplete="off"
        value={name}
        error={tried && name.trim() === ""}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <SubmitButton>Create environment</SubmitButton>
    </Form>
  )
}
