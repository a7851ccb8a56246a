import type { Webhook } from "@envkeep/contract"
import { Button, Text } from "@mantine/core"
import { IconChevronRight, IconPlus, IconWebhook } from "@tabler/icons-react"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Link, Navigate, useParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/collection-query.ts"
import { FollowCollection } from "../../lib/FollowCollection.tsx"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { formatNumber } from "../../ui/counts.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import "../../ui/row-list.css"
import { NewWebhookDialog } from "./NewWebhookDialog.tsx"
import { useWebhooks } from "./queries.ts"
import { receiverOf, stateOf, toldOf } from "./words.ts"
import "./webhooks.css"

/** The webhooks of a collection. */
export function WebhooksScreen() {
  const { id = "" } = useParams()
  if (!/^[1-9]\d{0,14}$/.test(id)) return <Navigate to="/collection/dashboard" replace />
  return <Webhooks key={id} id={Number(id)} />
}

function Webhooks({ id }: { id: number }) {
  const [isGone, setGone] = useState(false)
  return isGone ? <Navigate to="/collection/dashboard" replace /> : <Loaded id={id} onGone={() => setGone(true)} />
}

function Loaded({ id, onGone }: { id: number; onGone: () => void }) {
  const collection = useQuery(collectionQuery(useQueryClient(), id))
  const webhooks = useWebhooks(id)
  const [isAdding, setAdding] = useState(false)
  const error = collection.error ?? webhooks.error
  // The screen of a collection says that it is not there.
  if (error instanceof ApiError && error.status === 404) return <Navigate to={`/collection/${id}`} replace />
  if (collection.data === undefined || webhooks.data === undefined) {
    if (error === null) return <Spinner />
    const retry = () => void Promise.all([collection.refetch(), webhooks.refetch()])
    return (
      <div className="page">
        <LoadFailed title="The webhooks could not be loaded" message={error.message} isPage onRetry={retry} />
      </div>
    )
  }
  const { name, subCollections } = collection.data
  return (
    <Page
      title="Webhooks"
      lead={`Programs that are told what happens in ${name}. Names are sent, never values.`}
      breadcrumb={<Breadcrumb to={`/collection/${id}`}>{name}</Breadcrumb>}
      actions={
        <Button leftSection={<Icon shape={IconPlus} />} onClick={() => setAdding(true)}>
          Add webhook
        </Button>
      }
    >
      <FollowCollection id={id} onGone={onGone} />
      {webhooks.data.length === 0 ? (
        <EmptyState icon={<Icon shape={IconWebhook} />} title="No webhooks yet">
          Add one to restart a service, start a deployment or post to a chat when something changes.
        </EmptyState>
      ) : (
        <ul className="card row-list" aria-label="Webhooks">
          {webhooks.data.map((webhook) => (
            <WebhookRow key={webhook.id} collectionId={id} webhook={webhook} />
          ))}
        </ul>
      )}
      <NewWebhookDialog
        collectionId={id}
        environments={subCollections}
        opened={isAdding}
        onClose={() => setAdding(false)}
      />
    </Page>
  )
}

function WebhookRow({ collectionId, webhook }: { collectionId: number; webhook: Webhook }) {
  const { label, chip } = stateOf(webhook)
  return (
    <li>
      <Link
        to={`/collection/${collectionId}/webhooks/${webhook.id}`}
        className="row-list__row row-list__row--link webhook-row"
      >
        <div>
          <span className="webhook-row__name">
            <strong className="breaks-anywhere">{receiverOf(webhook)}</strong>
            <span className={`chip ${chip}`}>{label}</span>
            {webhook.pending > 0 && <span className="chip">{formatNumber(webhook.pending)} waiting</span>}
          </span>
          <Text size="sm" c="dimmed" className="breaks-anywhere">
            {webhook.description === "" ? toldOf(webhook) : `${webhook.description} · ${toldOf(webhook)}`}
          </Text>
          <Text size="sm" c="dimmed">
            {webhook.lastDeliveredAt === null ? (
              "Nothing delivered yet"
            ) : (
              <>
                Last delivered <TimeAgo at={webhook.lastDeliveredAt} />
              </>
            )}
          </Text>
        </div>
        <Icon shape={IconChevronRight} />
      </Link>
    </li>
  )
}
