import { keptLinkMs } from "../access/account-links.ts"
import type { Expiring } from "../bounds/expiring-rows.ts"
import { dayMs } from "../durations.ts"
import { keepGoneMs } from "../features/instances/rules.ts"
import { keptInvitationMs } from "../features/invitations/rules.ts"
import { idleDays, sessionDays } from "../features/users/sessions/rules.ts"
import { keptRefusalDays } from "../features/variables/key-refusals.ts"
import { keptMailMs } from "../mail/sender.ts"

type Purge = Expiring & { name: string }

/** What an hourly job deletes. The features say how long it is of use; each column has an index. */
export const purges = [
  {
    name: "purge expired sessions",
    table: "session",
    key: "id",
    afterMs: { created_at: sessionDays * dayMs, seen_at: idleDays * dayMs },
  },
  {
    name: "purge expired reset links",
    table: "password_reset",
    key: "user_id",
    afterMs: { expires_at: keptLinkMs },
  },
  {
    name: "purge expired reset links that were mailed",
    table: "mailed_reset",
    key: "user_id",
    afterMs: { expires_at: keptLinkMs },
  },
  {
    name: "purge expired links for a lost second factor",
    table: "factor_link",
    key: "user_id",
    afterMs: { expires_at: keptLinkMs },
  },
  {
    name: "purge logins that wait for their second factor",
    table: "pending_sign_in",
    key: "id",
    afterMs: { expires_at: 0 },
  },
  {
    name: "purge expired invitations",
    table: "invitation",
    key: "id",
    afterMs: { expires_at: keptInvitationMs },
  },
  {
    name: "purge expired logins of the command",
    table: "cli_login",
    key: "id",
    afterMs: { expires_at: 0 },
  },
  {
    name: "purge expired challenges of passkeys",
    table: "passkey_challenge",
    key: "id",
    afterMs: { expires_at: 0 },
  },
  {
    name: "purge expired visits to sign-in providers",
    table: "provider_visit",
    key: "id",
    afterMs: { expires_at: 0 },
  },
  {
    name: "purge expired attempts",
    table: "attempt",
    key: "bucket",
    afterMs: { resets_at: 0 },
  },
  {
    name: "purge instances that are gone",
    table: "instance",
    key: "id",
    afterMs: { gone_at: keepGoneMs },
  },
  {
    // A day is kept until it has ended and its days are over.
    name: "delete old counts of refused keys",
    table: "key_refusal",
    key: "id",
    afterMs: { day_at: (keptRefusalDays + 1) * dayMs },
  },
  {
    name: "delete mails that were given up long ago",
    table: "mail",
    key: "id",
    afterMs: { gave_up_at: keptMailMs },
  },
] as const satisfies Purge[]

/** The purge of one table. */
export function purgeOf(table: (typeof purges)[number]["table"]): Expiring {
  const found = purges.find((one) => one.table === table)
  if (found === undefined) throw new Error(`nothing of ${table} expires`)
  return found
}
