import type { KeyRefusal, Level } from "@envkeep/contract"
import type { Kind } from "@envkeep/formats"
import type { Generated } from "kysely"
import type { AccountSchema } from "./account-columns.ts"

// The columns of all tables, for the queries. What else is known about a table is in `tables.ts`.

/** The tables, the same on both engines. Times are milliseconds since 1970; flags are 0 or 1. */
export interface Schema extends AccountSchema {
  collection: {
    id: Generated<number>
    /** Whose quota pays for it: one of its owners. */
    owner_id: number
    name: string
    description: string
    /** The collection's own key, wrapped under the root key. */
    data_key: Uint8Array
    /** When its name or description changed or an environment was deleted. Null if not since this is recorded. */
    changed_at: Generated<number | null>
    /** When it was moved to the trash. Null if it is not there, 0 once it is being deleted forever. */
    trashed_at: Generated<number | null>
    /** The username at that time. */
    trashed_by: Generated<string | null>
    /** Its described names, the bytes of their text, and how often they have changed. Under a lock on this row. */
    described_count: Generated<number>
    described_bytes: Generated<number>
    described_revision: Generated<number>
  }
  /** What is known about a name, in all environments of a collection. */
  described_name: {
    id: Generated<number>
    collection_id: number
    name: string
    description: string
    is_required: number
    is_secret: number
    kind: Kind
    /** A JSON list of texts. */
    choices: string
    example: string
  }
  environment: {
    id: Generated<number>
    collection_id: number
    name: string
    revision: number
    /** Updated by every write to the items, under a lock on this row. */
    item_count: number
    /** The total size of the sealed values, and of what names are too long by (`limits.rowNameBytes`). Updated like the count. */
    sealed_bytes: number
    /** 0 until a version that counts long names has changed the items. */
    counts_names: Generated<number>
    /** When `revision` last went up. Null if not since this is recorded. */
    changed_at: Generated<number | null>
    /** What its superseded values take, updated like the count. */
    history_bytes: Generated<number>
    /** The first revision that is kept whole. Earlier ones have only what is left of them in later states. */
    history_from: Generated<number>
    /** As for a collection. The environments of a collection in the trash keep their own. */
    trashed_at: Generated<number | null>
    trashed_by: Generated<string | null>
    /** Its name. In the trash, `name` holds one that no environment can have, so that the name is free. */
    trashed_name: Generated<string | null>
    /** Its values are for maintainers only. */
    is_protected: Generated<number>
    /** The environment of the same collection that it inherits from. That of a live one is live. */
    base_id: Generated<number | null>
    /** Goes up by one with every change to its API keys: screens are told, readers are not. */
    keys_revision: Generated<number>
  }
  /** What a user is in a collection. Owners are among them. */
  collection_member: {
    id: Generated<number>
    collection_id: number
    user_id: number
    role: Level
    created_at: number
    /** The owner who asks this member to take the collection over. */
    asked_to_pay_by: Generated<number | null>
  }
  /** What the members of a team are in a collection. */
  collection_team: {
    id: Generated<number>
    collection_id: number
    team_id: number
    role: Level
    created_at: number
  }
  item: {
    id: Generated<number>
    environment_id: number
    name: string
    sealed_value: Uint8Array
    /** That wrote it last. 1 if this was before the history began. */
    revision: Generated<number>
  }
  /** One row for each change of an environment's name or items. */
  revision: {
    id: Generated<number>
    environment_id: number
    number: number
    created_at: number
    action: string
    /** `user` or `server`. The account may be deleted since, so the name is kept, and the id refers to nothing. */
    actor: string
    actor_id: Generated<number | null>
    actor_name: string
    note: string
    added: number
    changed: number
    removed: number
    /** The revision that was restored, or that was copied from. */
    source: Generated<number | null>
    /** What was copied from. It may be renamed or deleted since, so its name is kept, and the id refers to nothing. */
    source_environment_id: Generated<number | null>
    source_environment_name: Generated<string | null>
    /** What it inherited from, and at which revision of that. The base may be deleted since, so this refers to nothing. */
    base_id: Generated<number | null>
    base_revision: Generated<number | null>
  }
  /** What a revision wrote: a value, sealed like the item's own, or nothing, if the name was removed or the value erased. */
  item_version: {
    id: Generated<number>
    environment_id: number
    revision: number
    name: string
    sealed_value: Uint8Array | null
    /** By which items are sorted. The item may be gone. */
    item_id: number
    /** If the item had another name before. */
    previous_name: Generated<string | null>
    erased_at: Generated<number | null>
    erased_by: Generated<string | null>
  }
  api_key: {
    id: Generated<number>
    environment_id: number
    name: string
    key_hash: string
    sealed_key: Uint8Array
    created_at: number
    /** Accurate to the minute: a job writes it for all keys together. */
    last_used_at: Generated<number | null>
    /** The program that used it, as it calls itself, and its network. */
    last_used_by: Generated<string | null>
    last_used_from: Generated<string | null>
    /** Written like the last use. */
    last_refused_at: Generated<number | null>
    /** Null if it does not expire. */
    expires_at: Generated<number | null>
    /** Null if it can be used. */
    disabled_at: Generated<number | null>
    /** Addresses and ranges, with a space between them. Empty if it can be used from anywhere. */
    allowed_addresses: Generated<string>
    note: Generated<string>
    /** The account may be deleted since, so this refers to nothing. Null if it was made before this is recorded. */
    created_by_id: Generated<number | null>
    /** The key that was made when this one was rolled. It may be deleted since, so this refers to nothing. */
    replaced_by_id: Generated<number | null>
  }
  /** How often a key was refused on a day in UTC, for a reason, from a network. */
  key_refusal: {
    id: Generated<number>
    api_key_id: number
    day_at: number
    reason: KeyRefusal
    /** Empty for the networks beyond those that are counted one by one. */
    address: string
    refused: number
    last_at: number
  }
  /** Tells a program of what happens in a collection. */
  webhook: {
    id: Generated<number>
    collection_id: number
    /** The rest of the URL may be secret. */
    host: string
    sealed_url: Uint8Array
    sealed_secret: Uint8Array
    /** The former secret, which signs too until then. */
    sealed_old_secret: Generated<Uint8Array | null>
    old_secret_ends_at: Generated<number | null>
    description: string
    /** A JSON list of kinds. Null for all. */
    kinds: string | null
    /** Whether it is told only of the environments of `webhook_environment`. */
    is_limited: number
    is_enabled: number
    /** When the server disabled it, because nothing could be delivered. */
    gave_up_at: Generated<number | null>
    created_at: number
    /** The node that delivers at this moment, and until when no other one does. */
    claim: Generated<string | null>
    claim_ends_at: Generated<number | null>
    /** Deliveries that failed since one succeeded, since when, and when to try again. */
    failures: Generated<number>
    failing_since_at: Generated<number | null>
    retry_at: Generated<number | null>
    last_attempt_at: Generated<number>
    last_delivered_at: Generated<number | null>
  }
  webhook_environment: {
    id: Generated<number>
    webhook_id: number
    environment_id: number
  }
  /** What a webhook is told. Written in the transaction of the event, and delivered in the order of the ids. */
  webhook_delivery: {
    id: Generated<number>
    webhook_id: number
    message_id: string
    /** Null for a test. It may be deleted since, so this refers to nothing. */
    audit_event_id: number | null
    /** Of the event's environment, after the change. */
    revision: number | null
    created_at: number
    /** When it was delivered or given up. Null while it waits. */
    finished_at: Generated<number | null>
    is_delivered: Generated<number>
    /** A JSON list of tries. */
    attempts: Generated<string>
    /** Why it was given up. */
    fault: Generated<string | null>
  }
  product: {
    id: Generated<number>
    name: string
    description: string
    type: string
    category: string
  }
  /** One row, sealed under the root key: shows whether a root key is wrong or the data is damaged. */
  canary: {
    id: number
    sealed: Uint8Array
  }
  /** What happened: who did what, when, from where. Refers to nothing, because it stays when its subject is deleted. */
  audit_event: {
    id: Generated<number>
    created_at: number
    action: string
    /** `user`, `guest`, `key` or `server`, with id and name at that time. */
    actor: string
    actor_id: number | null
    actor_name: string
    /** The account that it happened to. */
    account_id: number | null
    account_name: string
    /** The network that the call came from; empty for the server itself. */
    address: string
    client: string
    collection_id: number | null
    collection_name: string
    environment_id: number | null
    environment_name: string
    api_key_id: number | null
    api_key_name: string
    /** JSON: names of items and counts, never a value. */
    details: string
    /** Its place in the chain and what proves it. Null until a job has chained it. */
    position: Generated<number | null>
    mac: Generated<string | null>
  }
  /** One row: where the chain of events begins and ends, signed with the chain's own key (`audit/chain.ts`). */
  audit_chain: {
    id: number
    /** The chain's key, wrapped under the root key. */
    sealed_key: Uint8Array
    position: number
    mac: string
    /** The newest event that was cut off because it was too old. 0 if none was. */
    start_position: number
    start_mac: string
    signature: string
  }
  /** How often a key was used from a network in an hour. The names are those of that time; refers to nothing. */
  key_read: {
    id: Generated<number>
    api_key_id: number
    api_key_name: string
    environment_id: number
    collection_id: number
    address: string
    hour_at: number
    last_at: number
    reads: number
    client: string
  }
  /** A program that reads with a key and named itself. A job writes it for all programs together. */
  instance: {
    id: Generated<number>
    api_key_id: number
    environment_id: number
    label: string
    /** Tells processes with the same label apart. */
    process: string
    client: string
    address: string
    /** The revision that it holds, and since when. */
    revision: number
    since_at: number
    first_seen_at: number
    seen_at: number
    is_watching: number
    /** Whether it has read once only. The next process with its label takes its place. */
    is_once: number
    /** When it counts as gone, unless it is seen again. */
    gone_at: number
  }
  /** How many of each thing there were on a day in UTC, such as 2026-01-31, when the job counted them. */
  daily_count: {
    id: Generated<number>
    day: string
    products: number
    users: number
    collections: number
    environments: number
    items: number
    subscriptions: number
  }
  /** One row while the root key is being replaced: each of the two keys, sealed under the other. */
  root_key_bridge: {
    id: number
    next: Uint8Array
    previous: Uint8Array
    begun_at: number
  }
}
