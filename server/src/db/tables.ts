import type { Schema } from "./columns.ts"
import type { Entry, Table as TableEntry } from "./table-entry.ts"

// The one list of tables, with what backup, restore, doctor, trash, quota and the checks on migrations must know;
// `table-lists.ts` derives their lists. So a new table is a migration, its columns in `columns.ts` and its entry here; a new
// column is a migration and its line in `columns.ts`. The compiler names a table, a sealed column or a time that is missing.

export type TableName = keyof Schema | "migration"

/** What can be referred to, and read in batches. */
export type TableWithId = { [Name in keyof Schema]: "id" extends keyof Schema[Name] ? Name : never }[keyof Schema]

export type RowOf<Name extends TableName> = Name extends keyof Schema
  ? Schema[Name]
  : { name: string; applied_at: number; checksum: string | null }

export type Table = TableEntry<string, TableWithId>

const inEnvironment = (kind: string) => [kind, { column: "environment_id" }, { column: "name" }] as const

const manifest = {
  // These two tell which root key is the store's own. `doctor/keys.ts` opens them.
  canary: {
    ids: "single row",
    inBackup: true,
    sealed: { sealed: { by: "root key", context: ["canary"] } },
  },
  root_key_bridge: {
    ids: "single row",
    inBackup: true,
    sealed: {
      next: { by: "root key", context: ["root key", "next"] },
      previous: { by: "root key", context: ["root key", "previous"] },
    },
    times: { begun_at: "past" },
  },
  user: {
    ids: "never reused",
    inBackup: true,
    times: { created_at: "past", disabled_at: "past", last_sign_in_at: "past" },
    words: { one: "account", many: "accounts", name: "username" },
  },
  // Not in a backup: a session that was ended since must not become valid again.
  session: {
    ids: "never reused",
    inBackup: false,
    parents: { user_id: "user" },
    times: { created_at: "past", seen_at: "past", confirmed_at: "past" },
  },
  // In a backup, as passwords are: restoring it must not take the second factor from anyone.
  totp: {
    ids: "never reused",
    inBackup: true,
    parents: { user_id: "user" },
    sealed: {
      sealed_secret: {
        by: "root key",
        context: ["totp", { column: "user_id" }],
        doesNotOpen: (row) =>
          `The secret of the authenticator app ${row} does not open: its user needs a recovery code, or a link of \`npm run admin -- factor-link\``,
      },
    },
    times: { created_at: "past", confirmed_at: "past" },
  },
  recovery_code: {
    ids: "never reused",
    inBackup: true,
    parents: { user_id: "user" },
    times: { created_at: "past" },
  },
  // Not in a backup: it waits for minutes.
  pending_sign_in: {
    ids: "never reused",
    inBackup: false,
    parents: { user_id: "user" },
    times: { created_at: "past", expires_at: "future" },
  },
  // Not in a backup: a link that was used or replaced since must not become valid again.
  factor_link: {
    ids: "none",
    inBackup: false,
    parents: { user_id: "user" },
    times: { expires_at: "future", used_at: "past" },
  },
  // Not in a backup: a token that was revoked since must not become valid again.
  token: {
    ids: "never reused",
    inBackup: false,
    parents: { user_id: "user" },
    times: { created_at: "past", expires_at: "future", last_used_at: "past" },
  },
  token_collection: {
    ids: "never reused",
    inBackup: false,
    parents: { token_id: "token", collection_id: "collection" },
  },
  passkey: {
    ids: "never reused",
    inBackup: true,
    parents: { user_id: "user" },
    times: { created_at: "past", last_used_at: "past" },
  },
  // Not in a backup: it waits for minutes.
  passkey_challenge: {
    ids: "never reused",
    inBackup: false,
    parents: { user_id: "user" },
    times: { expires_at: "future" },
  },
  // Not in a backup: it waits for minutes.
  cli_login: {
    ids: "never reused",
    inBackup: false,
    parents: { user_id: "user" },
    times: { created_at: "past", expires_at: "future" },
  },
  identity: {
    ids: "never reused",
    inBackup: true,
    parents: { user_id: "user" },
    times: { created_at: "past", last_used_at: "past" },
  },
  identity_team: {
    ids: "never reused",
    inBackup: true,
    parents: { identity_id: "identity", team_id: "team" },
  },
  // Not in a backup: it waits for minutes.
  provider_visit: {
    ids: "never reused",
    inBackup: false,
    parents: { session_id: "session" },
    times: { created_at: "past", expires_at: "future" },
  },
  // Not in a backup: a link that was used or replaced since must not become valid again.
  password_reset: {
    ids: "none",
    inBackup: false,
    parents: { user_id: "user" },
    times: { expires_at: "future", used_at: "past" },
  },
  // As those of administrators.
  mailed_reset: {
    ids: "none",
    inBackup: false,
    parents: { user_id: "user" },
    times: { expires_at: "future", used_at: "past" },
  },
  // Not in a backup: guesses are counted for minutes.
  attempt: { ids: "none", inBackup: false, times: { resets_at: "future" } },
  product: { ids: "never reused", inBackup: true },
  subscription: {
    ids: "never reused",
    inBackup: true,
    parents: { user_id: "user", product_id: "product" },
    times: { created_at: "past" },
  },
  collection: {
    ids: "never reused",
    inBackup: true,
    quota: { rows: ["described_count"], bytes: ["described_bytes"] },
    parents: { owner_id: "user" },
    times: { changed_at: "past", trashed_at: "past" },
    sealed: {
      data_key: {
        by: "root key",
        context: ["collection", { column: "id" }],
        doesNotOpen: (row) =>
          `The key of the collection ${row} does not open, and with it none of its values: restore a backup`,
      },
    },
    words: { one: "collection", many: "collections", name: "name" },
  },
  described_name: {
    ids: "never reused",
    inBackup: true,
    growth: "many rows",
    parents: { collection_id: "collection" },
  },
  collection_member: {
    ids: "never reused",
    inBackup: true,
    parents: { collection_id: "collection", user_id: "user" },
    times: { created_at: "past" },
  },
  team: {
    ids: "never reused",
    inBackup: true,
    times: { created_at: "past", named_at: "past" },
  },
  team_member: {
    ids: "never reused",
    inBackup: true,
    parents: { team_id: "team", user_id: "user" },
    times: { created_at: "past" },
  },
  collection_team: {
    ids: "never reused",
    inBackup: true,
    parents: { collection_id: "collection", team_id: "team" },
    times: { created_at: "past" },
  },
  // Not in a backup: a link that was used or revoked since must not become valid again.
  invitation: {
    ids: "never reused",
    inBackup: false,
    parents: { collection_id: "collection", team_id: "team", invited_by_id: "user" },
    times: { created_at: "past", expires_at: "future", revoked_at: "past" },
  },
  environment: {
    ids: "never reused",
    inBackup: true,
    quota: { rows: ["item_count"], bytes: ["sealed_bytes", "history_bytes"] },
    parents: { collection_id: "collection", base_id: "environment" },
    counters: ["revision"],
    times: { changed_at: "past", trashed_at: "past" },
    words: { one: "environment", many: "environments", name: "name" },
  },
  item: {
    ids: "never reused",
    inBackup: true,
    growth: "many rows",
    parents: { environment_id: "environment" },
    sealed: {
      sealed_value: {
        by: "collection key",
        context: inEnvironment("item"),
        doesNotOpen: (row) => `The item ${row} does not open: set its value again, or delete it`,
      },
    },
    words: { one: "item", many: "items", name: "name" },
  },
  revision: {
    ids: "never reused",
    inBackup: true,
    growth: "log",
    parents: { environment_id: "environment" },
    times: { created_at: "past" },
  },
  item_version: {
    ids: "never reused",
    inBackup: true,
    growth: "log",
    parents: { environment_id: "environment" },
    sealed: {
      sealed_value: {
        by: "collection key",
        context: inEnvironment("item"),
        doesNotOpen: (row) =>
          `The version ${row} does not open: it cannot be restored; other versions are not affected`,
      },
    },
    times: { erased_at: "past" },
    words: { one: "version", many: "versions", name: "name" },
  },
  api_key: {
    ids: "never reused",
    inBackup: true,
    quota: {},
    parents: { environment_id: "environment" },
    sealed: {
      sealed_key: {
        by: "collection key",
        context: inEnvironment("api-key"),
        hash: "key_hash",
        doesNotOpen: (row) => `The API key ${row} does not open: it works, but cannot be shown; make a new one`,
        doesNotMatchHash: (row) => `The API key ${row} is not the one that works: make a new one`,
      },
    },
    times: {
      created_at: "past",
      last_used_at: "past",
      last_refused_at: "past",
      expires_at: "future",
      disabled_at: "past",
    },
    words: { one: "API key", many: "API keys", name: "name" },
  },
  key_refusal: {
    ids: "never reused",
    inBackup: true,
    parents: { api_key_id: "api_key" },
    times: { day_at: "past", last_at: "past" },
  },
  webhook: {
    ids: "never reused",
    inBackup: true,
    parents: { collection_id: "collection" },
    sealed: {
      sealed_url: {
        by: "collection key",
        context: ["webhook-url", { column: "id" }],
        doesNotOpen: (row) => `The URL of the webhook to ${row} does not open: set it again, or delete the webhook`,
      },
      sealed_secret: {
        by: "collection key",
        context: ["webhook-secret", { column: "id" }],
        doesNotOpen: (row) => `The secret of the webhook to ${row} does not open: rotate it`,
      },
      sealed_old_secret: {
        by: "collection key",
        context: ["webhook-secret", { column: "id" }],
        doesNotOpen: (row) => `The former secret of the webhook to ${row} does not open: it no longer signs`,
      },
    },
    times: {
      created_at: "past",
      old_secret_ends_at: "future",
      gave_up_at: "past",
      claim_ends_at: "future",
      failing_since_at: "past",
      retry_at: "future",
      last_attempt_at: "past",
      last_delivered_at: "past",
    },
    words: { one: "webhook", many: "webhooks", name: "host" },
  },
  webhook_environment: {
    ids: "never reused",
    inBackup: true,
    parents: { webhook_id: "webhook", environment_id: "environment" },
  },
  // Not in a backup: what was delivered since must not be delivered again.
  webhook_delivery: {
    ids: "never reused",
    inBackup: false,
    growth: "log",
    parents: { webhook_id: "webhook" },
    times: { created_at: "past", finished_at: "past" },
  },
  audit_event: { ids: "never reused", inBackup: true, growth: "log", times: { created_at: "past" } },
  // `audit/verify.ts` opens it.
  audit_chain: {
    ids: "single row",
    inBackup: true,
    sealed: { sealed_key: { by: "root key", context: ["audit chain"] } },
  },
  key_read: { ids: "never reused", inBackup: true, growth: "log", times: { hour_at: "past", last_at: "past" } },
  // Not in a backup: what ran at that time does not run now.
  instance: {
    ids: "never reused",
    inBackup: false,
    growth: "many rows",
    parents: { api_key_id: "api_key", environment_id: "environment" },
    times: { since_at: "past", first_seen_at: "past", seen_at: "past", gone_at: "future" },
  },
  // Not in a backup: what was sent since must not be sent again.
  mail: {
    ids: "never reused",
    inBackup: false,
    parents: { user_id: "user" },
    sealed: { sealed: { by: "root key", context: ["mail", { column: "message_id" }] } },
    times: { created_at: "past", due_at: "future", expires_at: "future", failed_at: "past", gave_up_at: "past" },
  },
  daily_count: { ids: "never reused", inBackup: true },
  // Not in a backup as rows: its first line says which migrations have run.
  migration: { ids: "none", inBackup: false, times: { applied_at: "past" } },
} as const satisfies { [Name in TableName]: Entry<RowOf<Name>, TableWithId> }

export const tables: Readonly<Record<TableName, Table>> = manifest

type Having<Key extends "ids" | "inBackup", Value> = {
  [Name in TableName]: (typeof manifest)[Name][Key] extends Value ? Name : never
}[TableName]

export type KeptTable = Having<"inBackup", true>
export type NumberedTable = Having<"ids", "never reused">
