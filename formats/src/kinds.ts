/** What a value can be expected to be. `choice`: one of a list. */
export const kinds = ["text", "number", "boolean", "url", "port", "email", "json", "pem", "base64", "choice"] as const
export type Kind = (typeof kinds)[number]

/** A kind, and for `choice` what can be chosen. */
export interface KindRule {
  kind: Kind
  choices: readonly string[]
}

/**
 * Whether a value is what its kind promises. Nothing is refused because of it. Only text can be empty. Every check takes
 * time in proportion to the length of the value: values come from people, and from files that they import.
 */
export function fitsKind({ kind, choices }: KindRule, value: string): boolean {
  return kind === "choice" ? choices.includes(value) : checks[kind](value)
}

const checks: Record<Exclude<Kind, "choice">, (value: string) => boolean> = {
  text: () => true,
  number: (value) => /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value),
  boolean: (value) => /^(?:true|false|1|0|yes|no|on|off)$/i.test(value),
  url: isUrl,
  port: (value) => /^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65_535,
  email: (value) => /^[^\s@<>(),;:"]+@(?:localhost|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)$/u.test(value),
  json: isJson,
  pem: isPem,
  base64: isBase64,
}

/** Databases take addresses that are not valid for browsers, such as several hosts, so only those of the web are parsed. */
function isUrl(value: string): boolean {
  if (!/^[a-z][a-z0-9+.:-]*:\/\/\S+$/i.test(value)) return false
  return /^https?:/i.test(value) ? URL.canParse(value) : true
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

/** One or more whole blocks. Text around them is a comment, as RFC 7468 allows. */
function isPem(value: string): boolean {
  let label: string | undefined
  let blocks = 0
  for (const line of value.split(/\r?\n/)) {
    const [, edge, name] = /^-----(BEGIN|END) ([^-]*)-----$/.exec(line.trimEnd()) ?? []
    if (edge === "BEGIN" && label === undefined) label = name
    else if (edge === "END" && label === name) {
      label = undefined
      blocks += 1
    } else if (edge !== undefined) return false
    // Older keys begin with lines such as `Proc-Type: 4,ENCRYPTED`.
    else if (label !== undefined && !/^(?:[A-Za-z0-9+/=]*|[\w-]+: .*)$/.test(line.trimEnd())) return false
  }
  return blocks > 0 && label === undefined
}

/** Also in lines, as the command `base64` prints it, and in the alphabet of URLs. */
function isBase64(value: string): boolean {
  const text = value.replaceAll(/\r?\n/g, "")
  const [, digits = "", padding = ""] = /^((?:[A-Za-z0-9+/]+|[\w-]+))(={0,2})$/.exec(text) ?? []
  if (digits === "" || digits.length % 4 === 1) return false
  return padding === "" || (digits.length + padding.length) % 4 === 0
}
