import { settingNames } from "./config.ts"

const prefix = "ENVKEEP_"

/** What the client, the command line and the integrations read. It may be set on the same machine. */
export const clientSettings = [
  "ENVKEEP_CACHE",
  "ENVKEEP_COLLECTION",
  "ENVKEEP_ENVIRONMENT",
  "ENVKEEP_INSTANCE",
  "ENVKEEP_KEY",
  "ENVKEEP_KEY_FILE",
  "ENVKEEP_MAX_STALE",
  "ENVKEEP_TOKEN",
  "ENVKEEP_URL",
]

/** So many letters may be wrong for a name to be taken for another one. */
const maxTypos = 3

/** A sentence for each setting that this version does not know: it is most likely mistyped, and would go unnoticed. */
export function unknownSettings(env: Record<string, string | undefined>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !isKnown(name))
    .toSorted()
    .map((name) => {
      const nearest = nearestTo(name)
      const question = nearest === undefined ? "" : `: is ${nearest} meant?`
      return `${name} is not a setting of this version, and is ignored${question}`
    })
}

/** The settings of a provider have its name in them. `features/identities/settings.ts` reads them. */
function isKnown(name: string): boolean {
  const known: readonly string[] = [...settingNames, ...clientSettings]
  return known.includes(name) || name.startsWith("ENVKEEP_OIDC_")
}

function nearestTo(name: string): string | undefined {
  const near = settingNames
    .map((known) => ({ known, typos: typosBetween(name, known) }))
    .sort((one, other) => one.typos - other.typos)[0]
  return near !== undefined && near.typos <= maxTypos ? near.known : undefined
}

/** How many letters must be added, left out or replaced to make one text of the other (Levenshtein). */
function typosBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1]
    for (const [at, otherLetter] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === otherLetter ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
