import { allows, type Environment, type Level } from "@envkeep/contract"

/** What a role lets its user do with an environment. */
export interface Allowed {
  canSee: boolean
  canEdit: boolean
  canManage: boolean
}

export function allowedIn(environment: Environment, role: Level): Allowed {
  const canSee = !environment.valuesHidden
  return {
    canSee,
    canEdit: canSee && allows(role, "editor", environment),
    canManage: allows(role, "maintainer", environment),
  }
}
