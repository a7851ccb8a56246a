import { brokenPem, mendPem } from "./pem.ts"
import { isAddress } from "./references.ts"
import type { ImportEntry } from "./result.ts"

/** Where the variables go, as far as it matters to what is suspicious in them. */
export interface WhereTo {
  environmentName: string
  isProtected: boolean
}

/** What looks wrong with a value, in the order in which repairs are made. */
export const findingKinds = [
  "straySpaces",
  "invisibleCharacters",
  "typographicQuotes",
  "doubledQuotes",
  "brokenPem",
  "placeholder",
  "localAddress",
  "testKey",
  "addedByDoppler",
  "reference",
] as const
export type FindingKind = (typeof findingKinds)[number]

export interface Finding {
  kind: FindingKind
  /** Which of the entries. */
  at: number
}

interface Check {
  finds: (entry: ImportEntry, where: WhereTo) => boolean
  /** The value as it was most likely meant, or null to leave the variable out. Absent if there is nothing to repair. */
  repair?: (value: string) => string | null
}

const leaveOut = () => null

const checks: Record<FindingKind, Check> = {
  typographicQuotes: {
    finds: ({ value }) => typographicWrap.test(value) || (/^[[{]/.test(value) && /[“”„‟]/.test(value)),
    repair: straightened,
  },
  doubledQuotes: {
    finds: ({ value }) => /^(["'])[^"']*\1$/s.test(value),
    repair: (value) => value.slice(1, -1),
  },
  straySpaces: {
    finds: ({ value }) => value !== withoutEdgeSpaces(value),
    repair: withoutEdgeSpaces,
  },
  invisibleCharacters: {
    finds: ({ value }) => invisible.test(value),
    repair: (value) => value.replace(/[\u00a0\u202f]/g, " ").replace(/[\u200b\u2060\ufeff\u00ad\u200e\u200f]/g, ""),
  },
  brokenPem: { finds: ({ value }) => brokenPem(value), repair: mendPem },
  placeholder: {
    finds: ({ value }) => isPlaceholder(value),
    repair: leaveOut,
  },
  localAddress: {
    finds: ({ value }, where) => isProduction(where) && localAddress.test(value),
    repair: leaveOut,
  },
  testKey: { finds: ({ value }, where) => isProduction(where) && testKey.test(value), repair: leaveOut },
  addedByDoppler: {
    finds: ({ name }) => /^DOPPLER_(?:PROJECT|CONFIG|ENVIRONMENT)$/.test(name),
    repair: leaveOut,
  },
  reference: { finds: ({ hasReference, value }) => hasReference === true || isAddress(value) },
}

const typographicWrap = /^\s*[“”„‟‘’‚‛«»].*[“”„‟‘’‚‛«»]\s*$/s
const invisible = /[\u00a0\u202f\u200b\u2060\ufeff\u00ad\u200e\u200f]/
const localAddress = /(?:^|[^\w.-])(?:localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal)(?![\w.-])/i
const testKey =
  /(?:^|[^A-Za-z0-9])(?:(?:sk|pk|rk|ek)_test_|test_(?:sk|pk|live)_|rzp_test_|FLWSECK_TEST|sandbox-sq0|access-sandbox-|api\.sandbox\.|sandbox\.paypal\.com)/i
/** The pattern would be slow on a long value, and placeholders are short. */
const maxPlaceholderLength = 200
const placeholder = new RegExp(
  [
    "<[^<>]+>",
    String.raw`\[(?:your|insert|replace|enter)[^\]]*\]`,
    String.raw`\{\{[^{}]*\}\}`,
    "x{3,}",
    String.raw`\*{3,}`,
    String.raw`\.{3}`,
    "(?:todo|tbd|fixme|placeholder|dummy|changeme|change[-_ ]?(?:me|this)|replace[-_ ]?(?:me|this)|fill[-_ ]?(?:me|this)?[-_ ]?in)",
    String.raw`(?:replace|change|insert|enter|put|add)[-_ ](?:with[-_ ])?(?:your|this|me|the|a)\b.*`,
    String.raw`(?:your|my)[-_ ][\w -]*(?:key|secret|token|password|id|name|url|domain|here|value|host|user|email)[\w -]*`,
    ".*[-_ ](?:goes[-_ ])?here",
  ]
    .map((one) => `^(?:${one})$`)
    .join("|"),
  "is",
)

export function isPlaceholder(value: string): boolean {
  return value.length < maxPlaceholderLength && placeholder.test(value.trim())
}

function isProduction({ environmentName, isProtected }: WhereTo): boolean {
  return isProtected || /(?:^|[^a-z])(?:prod|prd|production|live)(?:$|[^a-z])/i.test(environmentName)
}

function straightened(value: string): string {
  const inner = typographicWrap.test(value) ? value.trim().slice(1, -1) : value
  return inner.replace(/[“”„‟]/g, '"').replace(/[‘’‚‛]/g, "'")
}

/** A text of several lines, such as a PEM, may end in a line break. */
function withoutEdgeSpaces(value: string): string {
  const trimmed = value.trim()
  return trimmed.includes("\n") && /[^\s]\r?\n$/.test(value) ? value.trimStart() : trimmed
}

/** What looks wrong. Nothing is refused because of it. */
export function lintImport(entries: ImportEntry[], where: WhereTo): Finding[] {
  return entries.flatMap((entry, at) =>
    findingKinds.filter((kind) => checks[kind].finds(entry, where)).map((kind) => ({ kind, at })),
  )
}

export function canRepair(kind: FindingKind): boolean {
  return checks[kind].repair !== undefined
}

/** The value after the repairs of these kinds, or null if the variable is to be left out. */
export function repaired(value: string, kinds: Iterable<FindingKind>): string | null {
  const wanted = new Set(kinds)
  let result: string | null = value
  for (const kind of findingKinds) {
    const { repair } = checks[kind]
    if (result !== null && repair !== undefined && wanted.has(kind)) result = repair(result)
  }
  return result
}
