import { z } from "zod"
import { limits } from "./limits.ts"

interface TextRules {
  /** The start of the message: "Name can be at most 100 characters". */
  label: string
  /** In characters. */
  max: number
  /** The message for missing or blank text. Without it, blank text is allowed. */
  required?: string
  /** Names are trimmed. Passwords and descriptions are kept exactly. */
  trim?: boolean
}

/** Text that both engines store unchanged: no NUL (PostgreSQL refuses it), no half surrogate pair (UTF-8 cannot encode it). */
export function text({ label, max, required, trim = true }: TextRules) {
  const plain = z.string({
    error: ({ input }) => (input == null ? (required ?? `${label} must be text`) : `${label} must be text`),
  })
  const trimmed = trim ? plain.trim() : plain
  const filled = required === undefined ? trimmed : trimmed.min(1, required)
  return filled
    .refine(isStorable, `${label} contains a NUL or half of a surrogate pair, which no text can hold`)
    .refine((value) => fitsCharacters(value, max), `${label} can be at most ${max} characters`)
    .meta({ maxLength: max })
}

/**
 * A name that people see, also in a terminal. Control characters command a terminal, and characters for the direction of text
 * make a name look like another one. All others are fine: scripts that are written from the right, and emoji of several parts.
 */
export function shownName(rules: TextRules) {
  return text(rules).refine(
    (value) => !hasHidden(value),
    `${rules.label} cannot contain control characters, or characters that change the direction of text`,
  )
}

const hidden = /[\p{Cc}\p{Bidi_Control}]/gu

function hasHidden(value: string): boolean {
  return value.search(hidden) !== -1
}

/** A name that was stored before such characters were refused, or that comes from elsewhere. */
export function harmless(stored: string): string {
  return stored.replace(hidden, "\ufffd")
}

/** In an answer, a name as people see it. */
export const shown = z.string().overwrite(harmless)

export const name = (required: string) => shownName({ label: "Name", max: limits.name, required })

export const description = text({ label: "Description", max: limits.description, trim: false })

/** Names may contain anything except what would end them in a `name=value` line. */
export const itemName = (required: string) =>
  text({ label: "Name", max: limits.itemName, required }).refine(
    (value) => !/[=\r\n]/.test(value),
    "Name cannot contain an equals sign or a line break",
  )

/** Any text, kept byte for byte. */
export const itemValue = z
  .string({ error: ({ input }) => (input == null ? "Value is required" : "Value must be text") })
  .refine(isStorable, "Value contains a NUL or half of a surrogate pair, which no text can hold")
  .refine((value) => fitsBytes(value, limits.itemValueBytes), "Value can be at most 64 KiB")

/** What `itemName` accepts, once it is trimmed. Long lists are checked with this, because schemas are slow. */
export function isItemName(trimmed: string): boolean {
  return trimmed !== "" && isStorable(trimmed) && fitsCharacters(trimmed, limits.itemName) && !/[=\r\n]/.test(trimmed)
}

/** What `itemValue` accepts. */
export function isItemValue(value: string): boolean {
  return isStorable(value) && fitsBytes(value, limits.itemValueBytes)
}

export const id = wholeNumber("An id")
export const revision = wholeNumber("A revision")

/** A number in the query of a URL, where everything is text. Only plain digits count: not `1e3`, `0x1` or `01`. */
export const queried = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((text) => (typeof text === "string" && /^[1-9]\d*$/.test(text) ? Number(text) : text), schema)

/** True or false in the query of a URL. */
export const queriedFlag = (error: string) =>
  z.preprocess((text) => (text === "true" ? true : text === "false" ? false : text), z.boolean({ error }))

/** Why a change was made. */
export const note = text({ label: "Note", max: limits.note }).optional()

function wholeNumber(label: string) {
  const refusal = { error: `${label} must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}` }
  return z.int(refusal).positive(refusal)
}

/** An object with the listed fields and no others. */
export function fields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `Unknown field: ${String(issue.keys?.[0]).slice(0, 50)}`
        : "A JSON object is expected",
  })
}

/**
 * The fields of a form. That all `required` fields are filled in, and that a repeated password matches, is checked before
 * anything else: a half-filled form should not complain about its e-mail address.
 */
export function form<Shape extends z.core.$ZodLooseShape>(
  blank: string,
  required: (keyof Shape & string)[],
  shape: Shape,
) {
  return z
    .unknown()
    .superRefine((value, context) => {
      if (typeof value !== "object" || value === null) return
      const sent = value as Record<string, unknown>
      const refuse = (message: string, field: string) => context.addIssue({ code: "custom", message, path: [field] })
      const missing = required.filter(
        (field) => sent[field] === undefined || sent[field] === null || sent[field] === "",
      )
      for (const field of missing) refuse(blank, field)
      if (missing.length === 0 && "password2" in shape && sent["password"] !== sent["password2"]) {
        refuse("Passwords do not match", "password2")
      }
    })
    .pipe(fields(shape))
}

function isStorable(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed()
}

/** Counts as a person does: an emoji outside the basic plane is one character, not two. */
function characters(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

const segmenter = new Intl.Segmenter()

/** Whether people count so many: a letter with its accents, or an emoji of several parts, is one. */
export function hasCharacters(value: string, count: number): boolean {
  let counted = 0
  for (const _ of segmenter.segment(value)) {
    counted++
    if (counted === count) return true
  }
  return count === 0
}

/** A character is one or two code units long, so only text between the two has to be counted. */
function fitsCharacters(value: string, max: number): boolean {
  return value.length <= max || (value.length <= 2 * max && characters(value) <= max)
}

/** A code unit takes one to three bytes, so only text between the two has to be counted. */
function fitsBytes(value: string, maxBytes: number): boolean {
  return value.length * 3 <= maxBytes || (value.length <= maxBytes && utf8Bytes(value) <= maxBytes)
}

/** Of well-formed text: each half of a surrogate pair stands for two of its four bytes. */
function utf8Bytes(value: string): number {
  let bytes = 0
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at)
    bytes += unit < 0x80 ? 1 : unit < 0x800 || isHalfOfPair(unit) ? 2 : 3
  }
  return bytes
}

function isHalfOfPair(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}
