import { z } from "zod"
import { activityKinds } from "./activity.ts"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { sentences } from "./sentences.ts"
import { description, fields, id, queried, shown, text } from "./text.ts"

/** What a webhook can be told of. The words are those of the activity. */
export const webhookKinds = ["items", "environments", "keys", "people", "collections"] as const
export type WebhookKind = (typeof webhookKinds)[number]

/** They are about an environment, but a program that reads it gets other values. */
const changesValues = new Set(["environment.restore", "environment.rebase", "environment.inherit"])

/** The kind of an action, or undefined if webhooks are not told of it. */
export function webhookKindOf(action: string): WebhookKind | undefined {
  if (changesValues.has(action)) return "items"
  const [word = ""] = action.split(".")
  return webhookKinds.find((kind) => (activityKinds[kind] as readonly string[]).includes(word))
}

/** What is sent as JSON. Names and ids, never a value. */
export const WebhookMessage = z.object({
  /** What happened: an action of the activity, such as `item.edit`, or `webhook.test`. */
  type: z.string(),
  /** When it happened, in ISO 8601. */
  timestamp: z.string(),
  data: z.object({
    kind: z.enum(webhookKinds).nullable(),
    actor: z.object({ kind: z.enum(["user", "guest", "key", "server"]), id: z.number().nullable(), name: shown }),
    collection: z.object({ id: z.number(), name: shown }),
    /** With its revision after the change. */
    environment: z.object({ id: z.number(), name: shown, revision: z.number().nullable() }).nullable(),
    /** Names of items: at most 20 of `nameCount`. */
    names: z.array(z.string()),
    nameCount: z.number(),
    apiKey: z.object({ id: z.number(), name: shown }).nullable(),
    account: z.object({ id: z.number(), name: shown }).nullable(),
  }),
})
export type WebhookMessage = z.output<typeof WebhookMessage>

/** `held`: the collection's queue waits for an earlier delivery. */
export const deliveryStates = ["pending", "delivered", "failed"] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Why a delivery did not succeed, for programs. `webhookFaults` says it in words. */
export const webhookFaults = {
  status: "The receiver answered with an error",
  redirect: "The receiver answered with a redirect, which is not followed",
  timeout: "The receiver did not answer in time",
  unreachable: "The receiver could not be reached",
  unknown_host: "The host name could not be resolved",
  address_refused: "The address is private, or otherwise not allowed by this server",
  tls: "The certificate of the receiver is not valid",
  bad_answer: "The answer of the receiver is not valid HTTP",
  secret_damaged: "The stored address or secret of this webhook is damaged. Set both again",
  event_gone: "The event is no longer kept",
  queue_full: `More than ${limits.pendingDeliveries.toLocaleString("en-US")} deliveries were waiting`,
  disabled: "The webhook was disabled",
  interrupted: "The server stopped while it waited for the answer",
} as const
export type WebhookFault = keyof typeof webhookFaults

const faults = Object.keys(webhookFaults) as [WebhookFault, ...WebhookFault[]]

/** One try to deliver. */
export const WebhookAttempt = z.object({
  /** ISO 8601. */
  at: z.string(),
  durationMs: z.number(),
  /** Null if there was no answer. */
  status: z.number().nullable(),
  /** Null if it was delivered. */
  fault: z.enum(faults).nullable(),
})
export type WebhookAttempt = z.output<typeof WebhookAttempt>

export const WebhookDelivery = z.object({
  id: z.number(),
  /** The header `webhook-id`. The same for all tries, and if it is delivered again. */
  messageId: z.string(),
  type: z.string(),
  state: z.enum(deliveryStates),
  /** When it was queued, in ISO 8601. */
  createdAt: z.string(),
  /** The oldest first. */
  attempts: z.array(WebhookAttempt),
  /** Why it failed, or why it is not delivered yet. Null if it was delivered, or not tried yet. */
  fault: z.enum(faults).nullable(),
  /** When it is tried again, in ISO 8601. Null if it is not, or waits for an earlier one. */
  nextAttemptAt: z.string().nullable(),
  /** What is sent. Null if the event is no longer kept. */
  body: z.string().nullable(),
})
export type WebhookDelivery = z.output<typeof WebhookDelivery>

export const Webhook = z.object({
  id: z.number(),
  /** Null if the stored row is damaged. */
  url: z.string().nullable(),
  description: z.string(),
  /** Null for all. */
  kinds: z.array(z.enum(webhookKinds)).nullable(),
  /** Null for all. Those that were deleted since are not listed. */
  environments: z.array(z.object({ id: z.number(), name: shown })).nullable(),
  isEnabled: z.boolean(),
  /** When the server itself disabled it, because nothing could be delivered for days, in ISO 8601. */
  gaveUpAt: z.string().nullable(),
  createdAt: z.string(),
  /** Since when every delivery has failed, in ISO 8601. Null if the last one succeeded. */
  failingSince: z.string().nullable(),
  lastDeliveredAt: z.string().nullable(),
  pending: z.number(),
  /** Until when the former secret signs too, in ISO 8601. */
  oldSecretUntil: z.string().nullable(),
})
export type Webhook = z.output<typeof Webhook>

/** The only answers that have the secret: it is shown when it is made. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() })
export type WebhookWithSecret = z.output<typeof WebhookWithSecret>

const url = text({ label: "URL", max: limits.webhookUrl, required: "URL is required" })
  .superRefine((value, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", message })
    const parsed = URL.parse(value)
    if (parsed === null || !/^https?:$/.test(parsed.protocol)) return refuse("URL must start with http:// or https://")
    if (parsed.username !== "" || parsed.password !== "") return refuse("URL cannot contain a username or a password")
  })
  .meta({ format: "uri", maxLength: limits.webhookUrl })

const settings = {
  url,
  description: description.optional(),
  kinds: z
    .array(z.enum(webhookKinds, { error: `An event must be one of ${webhookKinds.join(", ")}` }), {
      error: "Events must be a list",
    })
    .min(1, "Choose at least one kind of event")
    .refine((list) => new Set(list).size === list.length, "An event is listed twice")
    .nullable()
    .optional(),
  environmentIds: z
    .array(id, { error: "Environments must be a list of ids" })
    .min(1, "Choose at least one environment")
    .max(limits.environmentsPerWebhook, sentences.tooManyWebhookEnvironments)
    .nullable()
    .optional(),
  isEnabled: z.boolean({ error: "Enabled must be true or false" }).optional(),
}

/** How long the former secret can go on signing, in hours. */
export const secretOverlapHours = [0, 1, 24, 168] as const

const path = "/collections/{id}/webhooks" as const
const one = { id, webhookId: id }

export const webhooks = {
  list: call({
    access: "user",
    level: "maintainer",
    method: "GET",
    path,
    summary: "The webhooks of a collection, without their secrets.",
    input: fields({ id }),
    output: z.array(Webhook),
    done: "OK",
  }),
  create: call({
    access: "user",
    level: "maintainer",
    method: "POST",
    path,
    summary:
      "Makes a webhook: what happens in the collection is sent to the URL, signed with the secret, which is shown once. Without `kinds` or `environmentIds`, or with null, it is told of all.",
    input: fields({ id, ...settings }),
    output: WebhookWithSecret,
    done: "Webhook created successfully",
    status: 201,
  }),
  update: call({
    access: "user",
    level: "maintainer",
    method: "PUT",
    path: `${path}/{webhookId}`,
    summary:
      "Changes a webhook. Fields that are not sent stay as they are. Disabling it gives up what waits to be delivered.",
    input: fields({ ...one, ...settings, url: url.optional() }),
    output: Webhook,
    done: "Webhook saved",
  }),
  remove: call({
    access: "user",
    level: "maintainer",
    method: "DELETE",
    path: `${path}/{webhookId}`,
    summary: "Deletes a webhook and its deliveries. What waits is not delivered.",
    input: fields(one),
    output: z.null(),
    done: "Webhook deleted successfully",
  }),
  rotateSecret: call({
    access: "user",
    level: "maintainer",
    method: "POST",
    path: `${path}/{webhookId}/rotate-secret`,
    summary:
      "Gives a webhook another secret. The former one signs too for `overlapHours`, so that receivers can be changed.",
    input: fields({
      ...one,
      overlapHours: z.literal(secretOverlapHours, {
        error: `The hours must be one of ${secretOverlapHours.join(", ")}`,
      }),
    }),
    output: WebhookWithSecret,
    done: "Secret rotated",
  }),
  test: call({
    access: "user",
    level: "maintainer",
    method: "POST",
    path: `${path}/{webhookId}/test`,
    summary:
      "Queues a message of the type `webhook.test`, which goes out before all others and is tried once. If it arrives, the rest of the queue follows.",
    input: fields(one),
    output: WebhookDelivery,
    done: "Test sent",
  }),
  deliveries: call({
    access: "user",
    level: "maintainer",
    method: "GET",
    path: `${path}/{webhookId}/deliveries`,
    summary: `The deliveries of a webhook, newest first, ${limits.deliveriesPerPage} at a time; \`before\` continues with \`next\` of the answer.`,
    input: fields({ ...one, before: queried(id).optional() }),
    output: z.object({
      deliveries: z.array(WebhookDelivery),
      /** `before` of the next page; null on the last one. */
      next: z.number().nullable(),
    }),
    done: "OK",
  }),
  redeliver: call({
    access: "user",
    level: "maintainer",
    method: "POST",
    path: `${path}/{webhookId}/deliveries/{deliveryId}/redeliver`,
    summary:
      "Queues a message again, with the same `webhook-id`, behind what waits. One that still waits is tried now instead.",
    input: fields({ ...one, deliveryId: id }),
    output: WebhookDelivery,
    done: "Queued for delivery",
  }),
}
