import { type ApiKey, type ApiKeyUsage, apiKeys as calls } from "@envkeep/contract"
import { Anchor, Button, Group, Text, Title } from "@mantine/core"
import { useEffect, useId, useRef } from "react"
import { Link } from "react-router"
import { useCallForm } from "../../lib/call-form.ts"
import { exactTime } from "../../lib/relative-time.ts"
import { formatNumber, plural } from "../../ui/counts.ts"
import { Form, SubmitButton } from "../../ui/Form.tsx"
import { useOnce } from "../../ui/use-once.ts"
import { KeyOptions } from "./KeyOptions.tsx"
import { refusalWords } from "./key-state.ts"
import { OverlapField, useOverlap } from "./OverlapField.tsx"
import { useDisableApiKey, useKeyUsage, useRollApiKey, useUpdateApiKey } from "./queries.ts"
import { ReadsChart } from "./ReadsChart.tsx"

interface KeyManagementProps {
  apiKey: ApiKey
  collectionId: number
  /** Gets the id of the key that replaces this one. */
  onRolled: (id: number) => void
}

/** How a key is used, its settings, and its end. */
export function KeyManagement({ apiKey, collectionId, onRolled }: KeyManagementProps) {
  const title = useId()
  const panel = useRef<HTMLElement>(null)
  // It may be below a long list of keys.
  useEffect(() => {
    panel.current?.scrollIntoView({ block: "nearest" })
  }, [])
  return (
    <section className="key-usage" aria-labelledby={title} ref={panel}>
      <Title order={3} id={title} className="breaks-anywhere" fz="1rem" mb="xs">
        {`Manage ${apiKey.name}`}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {madeBy(apiKey)}
      </Text>
      <Usage apiKey={apiKey} />
      <Settings apiKey={apiKey} collectionId={collectionId} />
      <Ending apiKey={apiKey} collectionId={collectionId} onRolled={onRolled} />
    </section>
  )
}

function madeBy({ createdAt, createdBy }: ApiKey): string {
  return `Created ${createdBy === null ? "" : `by ${createdBy.name} `}on ${exactTime(createdAt)}.`
}

function Usage({ apiKey }: { apiKey: ApiKey }) {
  const { data, isError } = useKeyUsage(apiKey.id)
  if (isError) return <Text size="sm">Its use could not be loaded.</Text>
  if (data === undefined) return <div className="key-reads key-reads--empty" />
  return (
    <>
      <ReadsChart days={data.days} />
      {data.refused.count > 0 && (
        <Text size="sm" mb={14}>
          {refusedText(data.refused)}
        </Text>
      )}
    </>
  )
}

function refusedText({ count, reasons, last }: ApiKeyUsage["refused"]): string {
  const why = reasons.map(({ reason, count }) => `${refusalWords[reason]} (${formatNumber(count)})`).join(", ")
  const times = plural(count, "once", `${formatNumber(count)} times`)
  const from = last === null || last.from === "" ? "" : ` from ${last.from}`
  return `Refused ${times} in the last 7 days: ${why}${last === null ? "" : `; last${from} on ${exactTime(last.at)}`}`
}

function Settings({ apiKey, collectionId }: Omit<KeyManagementProps, "onRolled">) {
  const { id, note, allowedAddresses } = apiKey
  const form = useCallForm(calls.update, { id, note, allowedAddresses })
  const update = useUpdateApiKey(collectionId)
  return (
    <Form label={`Settings of ${apiKey.name}`} onSubmit={() => form.send(update)}>
      {/* After a save, what it expires on is another choice. */}
      <KeyOptions key={apiKey.expiresAt} field={form.field} expiresAt={apiKey.expiresAt} />
      <Group justify="flex-end" mt="sm">
        <SubmitButton>Save</SubmitButton>
      </Group>
    </Form>
  )
}

function Ending({ apiKey, collectionId, onRolled }: KeyManagementProps) {
  const { id, disabledAt, replacedById } = apiKey
  const overlap = useOverlap("1440")
  const roll = useRollApiKey(collectionId)
  const disable = useDisableApiKey(collectionId)
  const [rollOnce, isRolling] = useOnce(async () => {
    const done = await roll({ id, overlapMinutes: overlap.minutes })
    if (done !== undefined) onRolled(done.data.id)
  })
  const [switchOnce, isSwitching] = useOnce(() => disable({ id, isDisabled: disabledAt === null }))
  return (
    <div className="key-ending">
      {replacedById === null ? (
        <div className="key-ending__row">
          <OverlapField label="Roll: make a new key with the same settings. This one" overlap={overlap} />
          <Button variant="default" className="beside-field" loading={isRolling} onClick={rollOnce}>
            Roll
          </Button>
        </div>
      ) : (
        <Text size="sm" c="dimmed">
          Another key has replaced this one.
        </Text>
      )}
      <Group justify="space-between" gap="sm">
        <Button variant="default" loading={isSwitching} onClick={switchOnce}>
          {disabledAt === null ? "Disable" : "Enable"}
        </Button>
        <Anchor component={Link} size="sm" to={`/collection/${collectionId}/api-key/${id}/leak`}>
          If this key leaked…
        </Anchor>
      </Group>
    </div>
  )
}
