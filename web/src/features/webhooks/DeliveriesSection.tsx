import { type Webhook, type WebhookDelivery, webhookFaults } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react"
import { useId, useState } from "react"
import { exactTime } from "../../lib/relative-time.ts"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { ScrollBox } from "../../ui/ScrollBox.tsx"
import { Section } from "../../ui/Section.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useDeliveries, useRedeliver } from "./queries.ts"
import { deliveryStateOf } from "./words.ts"

interface DeliveriesSectionProps {
  collectionId: number
  webhook: Webhook
}

export function DeliveriesSection({ collectionId, webhook }: DeliveriesSectionProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useDeliveries(
    collectionId,
    webhook.id,
  )
  const deliveries = data?.pages.flatMap((page) => page.deliveries) ?? []
  return (
    <Section
      title="Deliveries"
      lead="Newest first. Messages go out one after the other. The last 100 are kept for 30 days."
    >
      {data === undefined && error === null && <Spinner />}
      {data === undefined && error !== null && (
        <LoadFailed title="The deliveries could not be loaded" message={error.message} onRetry={refetch} />
      )}
      {data !== undefined && deliveries.length === 0 && (
        <p className="section__text">Nothing yet. Change something in the collection, or send a test.</p>
      )}
      {deliveries.length > 0 && (
        <ul className="lined" aria-label="Deliveries">
          {deliveries.map((delivery) => (
            <Delivery key={delivery.id} collectionId={collectionId} webhook={webhook} delivery={delivery} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="webhook-more">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Section>
  )
}

function Delivery({ collectionId, webhook, delivery }: DeliveriesSectionProps & { delivery: WebhookDelivery }) {
  const [isOpen, setOpen] = useState(false)
  const details = useId()
  const { label, chip } = deliveryStateOf(delivery)
  const last = delivery.attempts.at(-1)
  return (
    <li className="delivery">
      <button
        type="button"
        className="delivery__head"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon shape={isOpen ? IconChevronDown : IconChevronRight} />
        <span className={`chip ${chip}`}>{label}</span>
        <code className="delivery__type">{delivery.type}</code>
        <Text component="span" size="sm" c="dimmed" flex={1}>
          {last !== undefined &&
            (last.status !== null ? `${last.status}, ${last.durationMs} ms` : `${last.durationMs} ms`)}
        </Text>
        <Text component="span" size="sm" c="dimmed">
          <TimeAgo at={delivery.createdAt} />
        </Text>
      </button>
      <div id={details} hidden={!isOpen}>
        {isOpen && <Details collectionId={collectionId} webhook={webhook} delivery={delivery} />}
      </div>
    </li>
  )
}

function Details({ collectionId, webhook, delivery }: DeliveriesSectionProps & { delivery: WebhookDelivery }) {
  const redeliver = useRedeliver(collectionId)
  const { fault, attempts, body, nextAttemptAt, state } = delivery
  return (
    <div className="delivery__details">
      {fault !== null && <Text size="sm">{webhookFaults[fault]}.</Text>}
      {nextAttemptAt !== null && (
        <Text size="sm" c="dimmed">
          Next try: {exactTime(nextAttemptAt)}
        </Text>
      )}
      {attempts.length > 0 && (
        <ol className="delivery__attempts" aria-label="Tries">
          {attempts.map(({ at, durationMs, status, fault: reason }) => (
            <li key={at}>
              {exactTime(at)}: {status ?? (reason === null ? "" : webhookFaults[reason])}, {durationMs} ms
            </li>
          ))}
        </ol>
      )}
      <Text size="sm" c="dimmed" className="breaks-anywhere">
        webhook-id: {delivery.messageId}
      </Text>
      <div className="delivery__body">
        <ScrollBox label="What is sent">
          <pre>{body === null ? "The event is no longer kept." : JSON.stringify(JSON.parse(body), null, 2)}</pre>
        </ScrollBox>
      </div>
      <Button
        variant="default"
        size="xs"
        disabled={!webhook.isEnabled}
        onClick={() => void redeliver({ id: collectionId, webhookId: webhook.id, deliveryId: delivery.id })}
      >
        {state === "pending" ? "Try now" : "Redeliver"}
      </Button>
    </div>
  )
}
