/** What a user can be in a collection: the role. Each level includes the ones before it. */
export const levels = ["viewer", "reader", "editor", "maintainer", "owner"] as const
export type Level = (typeof levels)[number]

/** The roles that include a level. */
export function rolesFrom(level: Level): readonly Level[] {
  return levels.slice(levels.indexOf(level))
}

export function strongest(one: Level, other: Level): Level {
  return levels.indexOf(one) < levels.indexOf(other) ? other : one
}

/**
 * The level that a call needs in an environment. Readers and editors deal with values and API keys: those of a protected
 * environment are for maintainers.
 */
export function levelIn({ isProtected }: { isProtected: boolean }, level: Level): Level {
  return isProtected && (level === "reader" || level === "editor") ? "maintainer" : level
}

/** Whether a role is enough for a call. The screens ask this too, so that they offer nothing that is refused. */
export function allows(
  role: Level,
  level: Level,
  environment: { isProtected: boolean } = { isProtected: false },
): boolean {
  return rolesFrom(levelIn(environment, level)).includes(role)
}
