import { type InputOf, type WebhookKind, webhookKinds, webhooks } from "@envkeep/contract"
import { Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { type ReactNode, useId } from "react"
import { useCallForm } from "../../lib/call-form.ts"
import type { OnRefused } from "../../lib/write.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { kindWords } from "./words.ts"

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
        <Choice
          legend="Events"
          all="All events"
          isAll={kinds === null}
          error={form.field("kinds").error}
          onAll={(isAll) => form.field("kinds").onChange(isAll ? null : ["items"])}
        >
          {webhookKinds.map((kind) => (
            <Check
              key={kind}
              isChecked={kinds?.includes(kind) ?? false}
              onChange={(isOn) => form.field("kinds").onChange(toggled<WebhookKind>(kinds ?? [], kind, isOn))}
            >
              <strong>{kindWords[kind].label}</strong>
              <span className="webhook-choice__text">{kindWords[kind].text}</span>
            </Check>
          ))}
        </Choice>
        {environments.length > 0 && (
          <Choice
            legend="Environments"
            all="All environments"
            isAll={environmentIds === null}
            error={form.field("environmentIds").error}
            onAll={(isAll) => form.field("environmentIds").onChange(isAll ? null : [])}
          >
            {environments.map(({ id, name }) => (
              <Check
                key={id}
                isChecked={environmentIds?.includes(id) ?? false}
                onChange={(isOn) => form.field("environmentIds").onChange(toggled(environmentIds ?? [], id, isOn))}
              >
                <span className="breaks-anywhere">{name}</span>
              </Check>
            ))}
          </Choice>
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

interface ChoiceProps {
  legend: string
  all: string
  isAll: boolean
  error: string | undefined
  onAll: (isAll: boolean) => void
  children: ReactNode
}

function Choice({ legend, all, isAll, error, onAll, children }: ChoiceProps) {
  const id = useId()
  return (
    <fieldset className="webhook-choices" {...(error !== undefined && { "aria-describedby": id })}>
      <legend>{legend}</legend>
      <label className="webhook-choice">
        <input type="radio" name={legend} checked={isAll} onChange={() => onAll(true)} />
        <strong>{all}</strong>
      </label>
      <label className="webhook-choice">
        <input type="radio" name={legend} checked={!isAll} onChange={() => onAll(false)} />
        <strong>Only some</strong>
      </label>
      {!isAll && <div className="webhook-choices__list">{children}</div>}
      {error !== undefined && (
        <Text size="sm" c="var(--danger)" id={id}>
          {error}
        </Text>
      )}
    </fieldset>
  )
}

function Check(props: { isChecked: boolean; onChange: (isOn: boolean) => void; children: ReactNode }) {
  return (
    <label className="webhook-choice">
      <input
        type="checkbox"
        checked={props.isChecked}
        onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
      />
      <span>{props.children}</span>
    </label>
  )
}
