import type { About } from "@envkeep/contract"
import { type Kind, kinds } from "@envkeep/formats"

interface KindWords {
  label: string
  /** What a value of this kind is, after "It should be". */
  rule: string
}

export const kindWords: Record<Kind, KindWords> = {
  text: { label: "Text", rule: "any text" },
  number: { label: "Number", rule: "a number such as 42, -1 or 0.5" },
  boolean: { label: "Boolean", rule: "true or false, yes or no, on or off, 1 or 0" },
  url: { label: "URL", rule: "an address with a scheme, such as https://example.com" },
  port: { label: "Port", rule: "a whole number from 1 to 65535" },
  email: { label: "Email", rule: "one address such as ann@example.com" },
  json: { label: "JSON", rule: "valid JSON" },
  pem: { label: "PEM", rule: "whole PEM blocks, with their line breaks" },
  base64: { label: "Base64", rule: "Base64 or Base64url" },
  choice: { label: "One of a list", rule: "one of a list" },
}

export const kindOptions = kinds.map((value) => ({ value, label: kindWords[value].label }))

/** The chosen entry of a select whose values are kinds. */
export function asKind(value: string): Kind {
  return kinds.find((one) => one === value) ?? "text"
}

const shownChoices = 8

/** What a value should be. */
export function ruleOf({ kind, choices }: Pick<About, "kind" | "choices">): string {
  if (kind !== "choice") return kindWords[kind].rule
  const more = choices.length - shownChoices
  return `one of ${choices.slice(0, shownChoices).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}
