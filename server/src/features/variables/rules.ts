import { sentences, type VariableFormat } from "@envkeep/contract"
import { printJson, printRaw, rawRefusal, type Variable } from "@envkeep/formats"
import { hashToken } from "../../crypto/token.ts"
import { openSecret, unwrapDataKey, type Vault } from "../../crypto/vault.ts"
import type { Db } from "../../db/schema.ts"
import { AppError } from "../../errors.ts"
import * as store from "./store.ts"

export interface Variables {
  etag: string
  /** Absent when the reader already has this state. */
  text?: string
  /** The names whose stored values cannot be opened; they are not in the text. */
  damaged: string[]
}

/**
 * The environment's variables for the holder of a key. A key that is malformed, deleted or was never made costs the same
 * and gets the same answer.
 */
export async function readVariables(
  db: Db,
  vault: Vault,
  key: string,
  { format, isHeld }: { format: VariableFormat; isHeld: (etag: string) => boolean },
): Promise<Variables> {
  const keyHash = hashToken(key)
  const holder = await store.environmentOfKey(db, keyHash)
  if (holder === undefined) throw badKey()
  const { environmentId, collectionId } = holder
  // The environment's id is part of it, so that a reader who changes keys is never told that nothing changed.
  const etagAt = (revision: number) => `"${environmentId}-${revision}-${format}"`
  if (isHeld(etagAt(holder.revision))) return { etag: etagAt(holder.revision), damaged: [] }

  const rows = await store.variableRows(db, keyHash)
  const [first] = rows
  if (first === undefined) throw badKey()
  const dataKey = unwrapDataKey(vault, collectionId, holder.wrappedKey)
  const variables: Variable[] = []
  const damaged: string[] = []
  for (const { name, sealedValue } of rows) {
    if (name === null || sealedValue === null) continue
    const value = openSecret(dataKey, sealedValue, { kind: "item", environmentId, name })
    if (value === null) damaged.push(name)
    else variables.push({ name, value })
  }
  return { etag: etagAt(first.revision), text: print(variables, format), damaged }
}

function print(variables: Variable[], format: VariableFormat): string {
  if (format === "json") return printJson(variables)
  for (const { name, value } of variables) {
    const reason = rawRefusal(value)
    if (reason !== undefined) {
      throw new AppError("unprocessable", `The format raw cannot hold the variable ${name}: ${reason}`)
    }
  }
  return printRaw(variables)
}

function badKey(): AppError {
  return new AppError("unauthenticated", sentences.badApiKey)
}
