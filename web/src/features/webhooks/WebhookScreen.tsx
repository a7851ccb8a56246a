import type { Collection, Webhook } from "@envkeep/contract"
import { Text } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Navigate, useNavigate, useParams } from "react-router"
import { ApiError } from "../../lib/api.ts"
import { collectionQuery } from "../../lib/collection-query.ts"
import { FollowCollection } from "../../lib/FollowCollection.tsx"
import { exactTime } from "../../lib/relative-time.ts"
import { TimeAgo } from "../../lib/TimeAgo.tsx"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { DeliveriesSection } from "./DeliveriesSection.tsx"
import { useDeleteWebhook, useUpdateWebhook, useWebhooks } from "./queries.ts"
import { RotateSecretDialog } from "./RotateSecretDialog.tsx"
import { WebhookActions } from "./WebhookActions.tsx"
import { WebhookForm } from "./WebhookForm.tsx"
import { receiverOf, stateOf, toldOf } from "./words.ts"
import "./webhooks.css"

/** One webhook, and what was delivered to it. */
export function WebhookScreen() {
  const { id = "", webhookId = "" } = useParams()
  if (![id, webhookId].every((one) => /^[1-9]\d{0,14}$/.test(one))) {
    return <Navigate to="/collection/dashboard" replace />
  }
  return <OneWebhook key={webhookId} id={Number(id)} webhookId={Number(webhookId)} />
}

interface Ids {
  id: number
  webhookId: number
}

function OneWebhook(ids: Ids) {
  const [isGone, setGone] = useState(false)
  return isGone ? <Navigate to="/collection/dashboard" replace /> : <Loaded {...ids} onGone={() => setGone(true)} />
}

function Loaded({ id, webhookId, onGone }: Ids & { onGone: () => void }) {
  const collection = useQuery(collectionQuery(useQueryClient(), id))
  const webhooks = useWebhooks(id)
  const error = collection.error ?? webhooks.error
  if (error instanceof ApiError && error.status === 404) return <Navigate to={`/collection/${id}`} replace />
  if (collection.data !== undefined && webhooks.data !== undefined) {
    const webhook = webhooks.data.find((one) => one.id === webhookId)
    if (webhook === undefined) return <Navigate to={`/collection/${id}/webhooks`} replace />
    return <Content collection={collection.data} webhook={webhook} onGone={onGone} />
  }
  if (error === null) return <Spinner />
  const retry = () => void Promise.all([collection.refetch(), webhooks.refetch()])
  return (
    <div className="page">
      <LoadFailed title="The webhook could not be loaded" message={error.message} isPage onRetry={retry} />
    </div>
  )
}

type OpenDialog = "edit" | "rotate" | "delete" | undefined

interface ContentProps {
  collection: Collection
  webhook: Webhook
  onGone: () => void
}

function Content({ collection, webhook, onGone }: ContentProps) {
  const { id } = collection
  const [dialog, setDialog] = useState<OpenDialog>()
  const { label, chip } = stateOf(webhook)
  return (
    <Page
      title={receiverOf(webhook)}
      lead={webhook.description === "" ? toldOf(webhook) : `${webhook.description} · ${toldOf(webhook)}`}
      breadcrumb={<Breadcrumb to={`/collection/${id}/webhooks`}>Webhooks</Breadcrumb>}
      actions={<WebhookActions collectionId={id} webhook={webhook} onOpen={setDialog} />}
    >
      <FollowCollection id={id} onGone={onGone} />
      <div className="card webhook-facts">
        <span className={`chip ${chip}`}>{label}</span>
        <Text size="sm" component="code" className="breaks-anywhere">
          {webhook.url ?? "The stored URL is damaged. Edit the webhook to set it again."}
        </Text>
        <StateNote webhook={webhook} />
      </div>
      <DeliveriesSection collectionId={id} webhook={webhook} />
      <WebhookDialogs collection={collection} webhook={webhook} opened={dialog} onClose={() => setDialog(undefined)} />
    </Page>
  )
}

function StateNote({ webhook }: { webhook: Webhook }) {
  const { isEnabled, gaveUpAt, failingSince, oldSecretUntil } = webhook
  return (
    <>
      {!isEnabled && gaveUpAt !== null && (
        <Text size="sm" c="var(--danger)">
          Disabled <TimeAgo at={gaveUpAt} />, because nothing could be delivered for five days. Enable it when the
          receiver works again.
        </Text>
      )}
      {isEnabled && failingSince !== null && (
        <Text size="sm" c="var(--danger)">
          The receiver is failing, for the first time <TimeAgo at={failingSince} />. Each message is tried for a day.
        </Text>
      )}
      {oldSecretUntil !== null && (
        <Text size="sm" c="dimmed">
          The former secret signs too until {exactTime(oldSecretUntil)}.
        </Text>
      )}
    </>
  )
}

interface WebhookDialogsProps {
  collection: Collection
  webhook: Webhook
  opened: OpenDialog
  onClose: () => void
}

function WebhookDialogs({ collection, webhook, opened, onClose }: WebhookDialogsProps) {
  const { id } = collection
  const one = { id, webhookId: webhook.id }
  const navigate = useNavigate()
  const update = useUpdateWebhook(id)
  const remove = useDeleteWebhook(id)
  return (
    <>
      <Dialog opened={opened === "edit"} onClose={onClose} title="Edit webhook" size="lg" closesOutside={false}>
        <WebhookForm
          initial={{
            id,
            url: webhook.url ?? "",
            description: webhook.description,
            kinds: webhook.kinds,
            environmentIds: webhook.environments?.map((environment) => environment.id) ?? null,
          }}
          environments={collection.subCollections}
          submit="Save"
          onSubmit={async (input, onRefused) => {
            if ((await update({ ...input, webhookId: webhook.id }, onRefused)) !== undefined) onClose()
          }}
          onClose={onClose}
        />
      </Dialog>
      <RotateSecretDialog opened={opened === "rotate"} {...one} onClose={onClose} />
      <ConfirmDialog
        opened={opened === "delete"}
        title="Delete this webhook?"
        confirm="Delete"
        onConfirm={async () => {
          if ((await remove(one)) !== undefined) await navigate(`/collection/${id}/webhooks`)
        }}
        onClose={onClose}
      >
        <strong>{receiverOf(webhook)}</strong> is told nothing any more, and its deliveries are deleted. This cannot be
        undone.
      </ConfirmDialog>
    </>
  )
}
