import type { IncomingHttpHeaders } from "node:http"
import { heldRevisionHeaderName, instanceHeaderName, limits } from "@envkeep/contract"
import type { CallerInstance } from "../access/caller.ts"

const pattern = /^([\x21-\x3a\x3c-\x7e]{1,400});([0-9a-z]{1,16})$/i

/** What a program calls itself. Undefined if it says nothing, or nothing that can be shown. */
export function instanceIn(headers: IncomingHttpHeaders): CallerInstance | undefined {
  const header = headers[instanceHeaderName]
  if (typeof header !== "string") return undefined
  const [, encoded, process] = pattern.exec(header) ?? []
  const label = encoded && labelOf(encoded)
  if (!label || process === undefined) return undefined
  return { label, process, holds: heldIn(headers) }
}

/** Cut, on one line, and without a key sent by mistake. */
function labelOf(encoded: string): string | undefined {
  if (/e(k|pt)_/.test(encoded)) return undefined
  try {
    const printable = decodeURIComponent(encoded)
      .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
      .trim()
    const label = [...printable].slice(0, limits.instanceLabel).join("")
    // A part of a header would keep all of its headers in memory. A copy does not.
    return Buffer.from(label).toString()
  } catch {
    return undefined
  }
}

/** 0 if it does not say. */
function heldIn(headers: IncomingHttpHeaders): number {
  const revision = Number(headers[heldRevisionHeaderName] ?? 0)
  return Number.isSafeInteger(revision) && revision > 0 ? revision : 0
}
