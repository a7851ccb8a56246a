import type { Webhook, WebhookDelivery, WebhookKind } from "@envkeep/contract"

export const kindWords: Record<WebhookKind, { label: string; text: string }> = {
  items: { label: "Variables", text: "Added, changed, deleted, copied or restored, and what is inherited" },
  environments: { label: "Environments", text: "Created, renamed, protected, deleted" },
  keys: { label: "API keys", text: "Created, deleted, used from a new network" },
  people: { label: "People", text: "Members, teams and invitations" },
  collections: { label: "The collection", text: "Its name, its owner, the trash" },
}

/** The host of a URL: the rest of it may be long, and secret. */
export function receiverOf({ url }: Webhook): string {
  return (url === null ? null : URL.parse(url))?.host ?? "A damaged webhook"
}

export function toldOf({ kinds, environments }: Webhook): string {
  const what = kinds === null ? "All events" : kinds.map((kind) => kindWords[kind].label).join(", ")
  if (environments === null) return what
  if (environments.length === 0) return `${what} in no environment that is left`
  return `${what} in ${environments.map(({ name }) => name).join(", ")}`
}

export interface StateWords {
  label: string
  chip: string
}

export function stateOf({ isEnabled, gaveUpAt, failingSince }: Webhook): StateWords {
  if (gaveUpAt !== null && !isEnabled) return { label: "Disabled after failures", chip: "chip--failed" }
  if (!isEnabled) return { label: "Disabled", chip: "" }
  return failingSince === null ? { label: "Enabled", chip: "chip--accent" } : { label: "Failing", chip: "chip--failed" }
}

export function deliveryStateOf({ state, attempts }: WebhookDelivery): StateWords {
  if (state === "delivered") return { label: "Delivered", chip: "chip--accent" }
  if (state === "failed") return { label: "Failed", chip: "chip--failed" }
  return attempts.length === 0 ? { label: "Waiting", chip: "" } : { label: "Retrying", chip: "chip--unsaved" }
}
