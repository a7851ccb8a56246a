import { z } from "zod"

const text = z.string().trim()

/** A root key as it is written in a setting or in a file. */
export const rootKeyText = z.union(
  [
    text.regex(/^[0-9a-f]{64}$/i).transform((digits) => Buffer.from(digits, "hex")),
    text.regex(/^[A-Za-z0-9+/_-]{43}=?$/).transform((base64) => Buffer.from(base64, "base64")),
  ],
  "must be 32 bytes, written as 64 hexadecimal digits or in base64",
)

/** Throws the reason why it is not one. */
export function parseRootKey(written: string): Uint8Array {
  const { data, error } = rootKeyText.safeParse(written)
  if (error !== undefined) throw new Error(error.issues[0]?.message)
  return data
}
