import { type About, names } from "@envkeep/contract"
import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { useState } from "react"
import { type CallForm, useCallForm } from "../../lib/call-form.ts"
import { CodeArea } from "../../ui/CodeArea.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { CheckField } from "./CheckField.tsx"
import { kindOptions, ruleOf } from "./kind-words.ts"
import { useDescribe, useRemoveDescription } from "./queries.ts"

interface AboutFormProps {
  collectionId: number
  initial: About
  isDescribed: boolean
  onClose: () => void
}

/** Describes a name, or changes what is said about it. */
export function AboutForm({ collectionId, initial, isDescribed, onClose }: AboutFormProps) {
  const form = useCallForm(names.describe, { id: collectionId, ...initial })
  const describe = useDescribe(collectionId)
  const remove = useRemoveDescription(collectionId)
  const { isRequired, isSecret } = form.values
  const isNew = initial.name === ""

  async function submit() {
    if ((await form.send(describe)) !== undefined) onClose()
  }

  async function removeAndClose() {
    if ((await remove(initial.name)) !== undefined) onClose()
  }

  return (
    <Form onSubmit={submit}>
      <Stack gap="md">
        {isNew && (
          <TextInput
            label="Name"
            placeholder="DATABASE_URL"
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...form.field("name")}
          />
        )}
        <Textarea
          label="Description"
          placeholder="What it is for, where to get it, who to ask"
          rows={3}
          {...(!isNew && { "data-autofocus": true })}
          {...form.field("description")}
        />
        <div className="about-checks">
          <CheckField
            label="Required"
            description="Environments without it are marked."
            checked={isRequired === true}
            onChange={(checked) => form.field("isRequired").onChange(checked)}
          />
          <CheckField
            label="Secret"
            description="Its values are masked."
            checked={isSecret === true}
            onChange={(checked) => form.field("isSecret").onChange(checked)}
          />
        </div>
        <KindFields form={form} initialChoices={initial.choices} />
        <TextInput
          label="Example"
          description="Everyone with access to the collection sees it. Never put a secret here."
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: "name-text" }}
          {...form.field("example")}
        />
        <Group justify="space-between" gap="xs">
          {isDescribed ? (
            <Button variant="subtle" color="gray" className="danger-button" onClick={removeAndClose}>
              Remove description
            </Button>
          ) : (
            <Text size="sm" c="dimmed">
              It holds for all environments.
            </Text>
          )}
          <Group gap="xs" ml="auto">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <SubmitButton>Save</SubmitButton>
          </Group>
        </Group>
      </Stack>
    </Form>
  )
}

interface KindFieldsProps {
  form: CallForm<typeof names.describe>
  initialChoices: readonly string[]
}

/** What a value must be. */
function KindFields({ form, initialChoices }: KindFieldsProps) {
  // As typed: an empty line is a choice that is not finished yet.
  const [lines, setLines] = useState(initialChoices.join("\n"))
  const { kind = "text" } = form.values

  function changeChoices(text: string) {
    setLines(text)
    form.field("choices").onChange(text.split("\n").filter((line) => line !== ""))
  }

  return (
    <>
      <NativeSelect
        label="Kind"
        description={
          kind === "choice" ? "A value is one of the list below." : `A value is ${ruleOf({ kind, choices: [] })}.`
        }
        data={kindOptions}
        {...form.field("kind")}
      />
      {kind === "choice" && (
        <CodeArea
          label="Choices"
          description="One in each line."
          rows={4}
          value={lines}
          error={form.field("choices").error}
          onChange={(event) => changeChoices(event.currentTarget.value)}
        />
      )}
    </>
  )
}
