import { type PastValue, sentences } from "@envkeep/contract"
import { AppError } from "../../../errors.ts"
import { isoTime } from "../../../iso-time.ts"
import { type DataKey, openSecret } from "../../../keys/secrets.ts"
import type { LockedEnvironment } from "../change-environment.ts"
import { isErased, isRemoved, type Layer } from "./past.ts"
import type { HistoryOf, VersionRow } from "./store.ts"

// Values of earlier versions, as far as the caller may see them.

/** `none` for a caller who may not see values: the key is not even opened. */
export type ReadingKey = DataKey | "none"

/** Opens versions of an environment and of what it inherited from, each as far as the caller may see it. */
export function opener(
  { id, seesProtected }: HistoryOf,
  layers: readonly Layer[],
  key: ReadingKey,
): (version: VersionRow | undefined) => OpenedWhenRead {
  // It may have been protected after the environment stopped inheriting from it.
  const hidden = new Set(seesProtected ? [] : layers.filter((one) => one.isProtected).map((one) => one.environment.id))
  return (version) => {
    if (version === undefined || version.environmentId === id) return pastValue(version, key)
    const { environmentId } = version
    const past = pastValue(version, hidden.has(environmentId) ? "none" : key)
    return isRemoved(version) ? past : Object.assign(past, { inheritedFrom: environmentId })
  }
}

/** The value is opened each time it is read, which is when it is sent. */
export function pastValue(version: VersionRow | undefined, key: ReadingKey): OpenedWhenRead {
  return new OpenedVersion(version, key)
}

export interface OpenedWhenRead extends PastValue {
  /** The environment and its revision that wrote it; undefined if there was nothing. */
  writtenBy: string | undefined
}

/** A class, because there can be tens of thousands, and objects with getters of their own keep the collector busy. */
class OpenedVersion implements OpenedWhenRead {
  readonly #version: VersionRow | undefined
  readonly #key: ReadingKey

  constructor(version: VersionRow | undefined, key: ReadingKey) {
    this.#version = version
    this.#key = key
  }

  get writtenBy() {
    const version = this.#version
    return version === undefined || isRemoved(version) ? undefined : `${version.environmentId} ${version.revision}`
  }

  get state() {
    const version = this.#version
    if (version === undefined || isRemoved(version)) return "removed"
    if (isErased(version)) return "erased"
    if (this.#key === "none") return "hidden"
    return this.value === null ? "damaged" : "set"
  }

  get value() {
    if (this.#version === undefined || this.#version.sealedValue === null || this.#key === "none") return null
    const { environmentId, name, sealedValue } = this.#version
    return openSecret(this.#key, sealedValue, { kind: "item", environmentId, name })
  }

  get erasedAt() {
    const erasedAt = this.#version?.erasedAt ?? null
    return erasedAt === null ? undefined : isoTime(erasedAt)
  }

  get erasedBy() {
    return this.erasedAt === undefined ? undefined : this.#version?.erasedBy
  }
}

/** Not spread, which would open the value at once. */
export function withName(name: string, past: OpenedWhenRead): PastValue & { name: string } {
  return Object.assign(past, { name })
}

/** Whether values that cannot be read are the same is not told, unless it is the very same version. */
export function isDifferent({ before, after }: Record<"before" | "after", OpenedWhenRead>): boolean {
  if (before.writtenBy === after.writtenBy) return false
  return before.state !== "set" || after.state !== "set" || before.value !== after.value
}

/** With the id that it had then. Undefined if the name was removed. */
export function restorable(
  { dataKey }: LockedEnvironment,
  version: VersionRow,
): { id: number; name: string; value: string } | undefined {
  const { state, value } = pastValue(version, dataKey)
  if (state === "erased") throw new AppError("gone", sentences.valueErased)
  if (state === "damaged") throw new AppError("unprocessable", sentences.valueDamaged)
  return value === null ? undefined : { id: version.itemId, name: version.name, value }
}
