const pluralRules = new Intl.PluralRules("en-US")

/** A number as the screens show it: 1,234. */
export function formatNumber(value: number): string {
  return value.toLocaleString("en-US")
}

/** The number with its word: "1 item", "1,234 items". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${plural(count, one, many)}`
}

/** The word alone: "is" for one, "are" for every other number. */
export function plural(count: number, one: string, many: string): string {
  return pluralRules.select(count) === "one" ? one : many
}
