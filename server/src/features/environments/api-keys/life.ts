import { type ApiKey, type apiKeys, type InputOf, limits, sentences } from "@envkeep/contract"
import type { Action } from "../../../access/actions.ts"
import type { Member } from "../../../access/caller.ts"
import { storedSettings, toSettingsRow } from "../../../access/key-holder.ts"
import type { Core, Notes } from "../../../core/core.ts"
import type { Tx } from "../../../db/schema.ts"
import { minuteMs } from "../../../durations.ts"
import { conflict, notFound } from "../../../errors.ts"
import { openSecret, sealSecret } from "../../../keys/secrets.ts"
import { changeEnvironment, type LockedEnvironment, sealingKey } from "../change-environment.ts"
import { addApiKey, findApiKey, refusePastExpiry } from "./rules.ts"
import * as store from "./store.ts"

// What happens to a key between its creation and its end. Each change forgets the key on every node, as its deletion does:
// what memory knows about it must not outlive what was changed.

export function updateApiKey(
  core: Core,
  caller: Member,
  { id, ...settings }: InputOf<typeof apiKeys.update>,
): Promise<ApiKey> {
  refusePastExpiry(settings.expiresAt)
  return changeKey(core, caller, { id, action: "api-key.update" }, async (tx, { notes, environment, row }) => {
    const changed = toSettingsRow(settings)
    if (Object.entries(changed).every(([column, value]) => row[column as keyof typeof changed] === value)) {
      notes.nothingChanged()
    } else await save(tx, { notes, environment }, id, changed)
    return findApiKey(tx, environment, id)
  })
}

export function disableApiKey(
  core: Core,
  caller: Member,
  { id, isDisabled }: InputOf<typeof apiKeys.disable>,
): Promise<ApiKey> {
  const action = isDisabled ? "api-key.disable" : "api-key.enable"
  return changeKey(core, caller, { id, action }, async (tx, { notes, environment, row }) => {
    if ((row.disabledAt !== null) === isDisabled) notes.nothingChanged()
    else await save(tx, { notes, environment }, id, { disabled_at: isDisabled ? Date.now() : null })
    return findApiKey(tx, environment, id)
  })
}

/** The successor gets the name, because programs and people know the key by it. */
export function rollApiKey(
  core: Core,
  caller: Member,
  { id, overlapMinutes }: InputOf<typeof apiKeys.roll>,
): Promise<ApiKey> {
  return changeKey(core, caller, { id, action: "api-key.roll" }, async (tx, { notes, environment, row }) => {
    if (row.replacedById !== null) throw conflict(sentences.alreadyRolled)
    const now = Date.now()
    const { name, expires_at } = row
    const key = sealingKey(environment)
    const newName = freeName(name, await store.keyNames(tx, environment))
    const context = { kind: "api-key", environmentId: environment.id } as const
    const opened = openSecret(key, row.sealedKey, { ...context, name })
    await save(tx, { notes, environment }, id, {
      name: newName,
      expires_at: Math.min(expires_at ?? Number.POSITIVE_INFINITY, now + overlapMinutes * minuteMs),
      // One that is damaged stays as it is: it works, but cannot be shown.
      ...(opened === null ? {} : { sealed_key: sealSecret(key, opened, { ...context, name: newName }) }),
    })
    const successorId = await addApiKey(tx, notes, environment, {
      ...storedSettings(row),
      // As long as the old one was meant to last.
      expires_at: expires_at === null ? null : now + Math.max(minuteMs, expires_at - row.createdAt),
    })
    await store.updateApiKey(tx, environment, id, { replaced_by_id: successorId })
    notes.about({ collectionId: environment.collectionId, environmentId: environment.id, apiKeyId: successorId })
    return findApiKey(tx, environment, successorId)
  })
}

/** `web-1 (replaced)`, or with a number if there is one already. */
function freeName(name: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? " (replaced)" : ` (replaced ${n})`
    const free = [...name].slice(0, limits.name - suffix.length).join("") + suffix
    if (!taken.includes(free)) return free
  }
}

interface Changing {
  notes: Notes
  environment: LockedEnvironment
}

/** A key that is out of the caller's reach is not found, whether its environment is or not. */
async function changeKey(
  core: Core,
  caller: Member,
  { id, action }: { id: number; action: Action },
  work: (tx: Tx, changing: Changing & { row: store.ApiKeyRow }) => Promise<ApiKey>,
): Promise<ApiKey> {
  const found = await store.apiKeyRow(core.db, caller, id)
  if (found === undefined) throw notFound("API Key")
  const { environmentId } = found
  return changeEnvironment(core, caller, { action, environmentId }, async (tx, notes, environment) => {
    const row = await store.apiKeyRow(tx, caller, id)
    if (row === undefined) throw notFound("API Key")
    notes.about({ collectionId: environment.collectionId, environmentId, apiKeyId: id })
    return work(tx, { notes, environment, row })
  })
}

async function save(
  tx: Tx,
  { notes, environment }: Changing,
  id: number,
  changed: Parameters<typeof store.updateApiKey>[3],
): Promise<void> {
  const keyHash = await store.updateApiKey(tx, environment, id, changed)
  notes.invalidate({ environmentId: environment.id, ends: { keyHash } })
  notes.invalidate({ collectionId: environment.collectionId, forScreens: true })
}
