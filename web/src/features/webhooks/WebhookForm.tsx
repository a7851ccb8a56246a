import { type InputOf, type WebhookKind, webhookKinds, webhooks } from "@envkeep/contract"
import { Button, Group, Stack, TextInput } from "@mantine/core"
import { useCallForm } from "../../lib/call-form.ts"
import type { OnRefused } from "../../lib/write.ts"
import { AllOrSome, Check, Explained } from "../../ui/Choices.tsx"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { kindWords } from "./words.ts"

const listHeightPx = 300

type Input = InputOf<typeof webhooks.create>

interface WebhookFormProps {
  initial: Input
  environments: readonly { id: number; name: string }[]
  submit: string
  onSubmit: (input: Input, onRefused: OnRefused) => Promise<unknown>
  onClose: () => void
}

/** For a new webhook and for one that is changed. */
export function WebhookForm({ initial, environments, submit, onSubmit, onClose }: WebhookFormProps) {
  const form = useCallForm(webhooks.create, initial)
  const { kinds = null, environmentIds = null } = form.values
  const toggled = <One,>(list: readonly One[], one: One, isOn: boolean) =>
    isOn ? [...list, one] : list.filter((other) => other !== one)
  return (
    <Form label={submit} onSubmit={() => form.send(onSubmit)}>
      <Stack gap="md">
        <TextInput
          label="URL"
          description="Gets a POST with JSON for each event. It may contain a secret: it is stored encrypted."
          placeholder="https://example.com/hooks/envkeep"
          autoComplete="off"
          data-autofocus
          {...form.field("url")}
        />
        <TextInput
          label="Description"
          placeholder="Deploys the shop"
          autoComplete="off"
          {...form.field("description")}
        />
        <AllOrSome
          legend="Events"
          all="All events"
          isAll={kinds === null}
          error={form.field("kinds").error}
          maxHeightPx={listHeightPx}
          onAll={(isAll) => form.field("kinds").onChange(isAll ? null : ["items"])}
        >
          {webhookKinds.map((kind) => (
            <Check
              key={kind}
              checked={kinds?.includes(kind) ?? false}
              onCheck={(isOn) => form.field("kinds").onChange(toggled<WebhookKind>(kinds ?? [], kind, isOn))}
            >
              <Explained title={kindWords[kind].label} text={kindWords[kind].text} />
            </Check>
          ))}
        </AllOrSome>
        {environments.length > 0 && (
          <AllOrSome
            legend="Environments"
            all="All environments"
            isAll={environmentIds === null}
            error={form.field("environmentIds").error}
            maxHeightPx={listHeightPx}
            onAll={(isAll) => form.field("environmentIds").onChange(isAll ? null : [])}
          >
            {environments.map(({ id, name }) => (
              <Check
                key={id}
                checked={environmentIds?.includes(id) ?? false}
                onCheck={(isOn) => form.field("environmentIds").onChange(toggled(environmentIds ?? [], id, isOn))}
              >
                <span className="breaks-anywhere">{name}</span>
              </Check>
            ))}
          </AllOrSome>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SubmitButton>{submit}</SubmitButton>
        </Group>
      </Stack>
    </Form>
  )
}
