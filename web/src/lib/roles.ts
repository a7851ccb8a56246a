import { type Level, levels } from "@envkeep/contract"

interface RoleWords {
  label: string
  /** What it may do, beside what the weaker roles may. */
  does: string
}

export const roleWords: Record<Level, RoleWords> = {
  viewer: { label: "Viewer", does: "Sees names and who changed what. No values." },
  reader: { label: "Reader", does: "Sees and exports values, except in protected environments." },
  editor: { label: "Editor", does: "Changes values and manages API keys, except in protected environments." },
  maintainer: { label: "Maintainer", does: "Manages environments, also protected ones, and members." },
  owner: { label: "Owner", does: "Can also manage owners, and delete or transfer the collection." },
}

/** The roles that a user with this one can give: only owners make owners. */
export function rolesGivenBy(role: Level): { value: Level; label: string }[] {
  const given = role === "owner" ? levels : levels.filter((one) => one !== "owner")
  return given.map((value) => ({ value, label: roleWords[value].label }))
}

/** The chosen entry of a select whose values are roles. */
export function asRole(value: string): Level {
  return levels.find((one) => one === value) ?? "viewer"
}

/** Why an environment shows its names only. */
export function whyHidden(role: Level, { isProtected }: { isProtected: boolean }): string {
  return role !== "viewer" && isProtected
    ? "Values are hidden: this environment is protected. Maintainers and owners see them."
    : `Values are hidden: your role is ${role}.`
}
