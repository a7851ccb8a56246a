import { type About, names } from "@envkeep/contract"
import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { useState } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { AboutText } from "./AboutText.tsx"
import { CheckField } from "./CheckField.tsx"
import { kindOptions, ruleOf } from "./kind-words.ts"
import { aboutOf, useAbouts, useDescribe, useNames, useRemoveDescription } from "./queries.ts"
import "./names.css"

interface AboutDialogProps {
  collectionId: number
  /** Undefined closes the dialog. Empty asks for a name too. */
  name: string | undefined
  /** Shown instead of the stored kind, if it was chosen elsewhere. */
  kind?: About["kind"] | undefined
  canEdit: boolean
  onClose: () => void
}

/** What is known about a name, in all environments of the collection. */
export function AboutDialog({ collectionId, name, kind, canEdit, onClose }: AboutDialogProps) {
  // Kept while the dialog fades out, so that its text does not disappear first.
  const [shown, setShown] = useState({ name, kind })
  if (name !== undefined && (name !== shown.name || kind !== shown.kind)) setShown({ name, kind })
  if (shown.name === undefined) return null
  return (
    <Dialog
      opened={name !== undefined}
      onClose={onClose}
      title={shown.name === "" ? "Describe a name" : `About ${shown.name}`}
      size="lg"
      closesOutside={!canEdit}
      fillsPhone
    >
      <Content
        key={`${shown.kind} ${shown.name}`}
        collectionId={collectionId}
        name={shown.name}
        kind={shown.kind}
        canEdit={canEdit}
        onClose={onClose}
      />
    </Dialog>
  )
}

/** Not before the names are loaded: a form without what is stored would replace it. */
function Content({ collectionId, name = "", kind, canEdit, onClose }: AboutDialogProps) {
  const { data, error, refetch } = useNames(collectionId)
  const abouts = useAbouts(collectionId)
  if (data === undefined) {
    if (error === null) return <Spinner />
    return <LoadFailed title="The descriptions could not be loaded" message={error.message} onRetry={refetch} />
  }
  const about = aboutOf(abouts, name)
  const shown = { isDescribed: abouts.has(name), onClose }
  if (!canEdit) return <AboutText about={about} {...shown} />
  const initial = kind === undefined ? about : { ...about, kind }
  return <AboutForm collectionId={collectionId} initial={initial} {...shown} />
}

interface AboutFormProps {
  collectionId: number
  initial: About
  isDescribed: boolean
  onClose: () => void
}

function AboutForm({ collectionId, initial, isDescribed, onClose }: AboutFormProps) {
  const form = useCallForm(names.describe, { id: collectionId, ...initial })
  const describe = useDescribe(collectionId)
  const remove = useRemoveDescription(collectionId)
  // As typed: an empty line is a choice that is not finished yet.
  const [lines, setLines] = useState(initial.choices.join("\n"))
  const { kind = "text", isRequired, isSecret } = form.values
  const isNew = initial.name === ""

  async function submit() {
    if ((await form.send(describe)) !== undefined) onClose()
  }
  async function removeAndClose() {
    if ((await remove(initial.name)) !== undefined) onClose()
  }
  function changeChoices(text: string) {
    setLines(text)
    form.field("choices").onChange(text.split("\n").filter((line) => line !== ""))
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
        <NativeSelect
          label="Kind"
          description={
            kind === "choice" ? "A value is one of the list below." : `A value is ${ruleOf({ kind, choices: [] })}.`
          }
          data={kindOptions}
          {...form.field("kind")}
        />
        {kind === "choice" && (
          <Textarea
            label="Choices"
            description="One in each line."
            classNames={{ input: "code-area about-choices" }}
            rows={4}
            spellCheck={false}
            value={lines}
            error={form.field("choices").error}
            onChange={(event) => changeChoices(event.currentTarget.value)}
          />
        )}
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
