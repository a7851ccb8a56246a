import { collections } from "@envkeep/contract"
import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core"
import { Link, useNavigate } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { Page } from "../../ui/Page.tsx"
import { useArrivalFocus } from "../../ui/use-arrival-focus.ts"
import { useCreateCollection } from "./queries.ts"

export function NewCollectionScreen() {
  const form = useCallForm(collections.create, { name: "", description: "" })
  const create = useCreateCollection()
  const navigate = useNavigate()
  const firstField = useArrivalFocus()

  async function submit() {
    const done = await form.send(create)
    // Replaces the form in the history: going back must not lead to an empty form.
    if (done !== undefined) await navigate(`/collection/${done.data.id}`, { replace: true })
  }
  return (
    <Page
      title="New Collection"
      lead="A collection holds the environments of one app."
      breadcrumb={<Breadcrumb to="/collection/dashboard">Dashboard</Breadcrumb>}
      narrow
    >
      <section className="card card--padded">
        <Form onSubmit={submit}>
          <Stack gap="md">
            <TextInput
              label="Name"
              placeholder="billing-api"
              ref={firstField}
              autoComplete="off"
              {...form.field("name")}
            />
            <Textarea
              label="Description"
              description="Optional: what the app does, and who maintains it."
              autosize
              minRows={3}
              maxRows={12}
              {...form.field("description")}
            />
            <Group gap="xs" justify="flex-end">
              <Button component={Link} to="/collection/dashboard" variant="default">
                Cancel
              </Button>
              <SubmitButton>Create</SubmitButton>
            </Group>
          </Stack>
        </Form>
      </section>
    </Page>
  )
}
