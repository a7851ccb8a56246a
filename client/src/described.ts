import type { Kind } from "@envkeep/formats"
import { api } from "./api.ts"
import type { Target } from "./target.ts"

/** What is known about a name, in all environments of a collection. */
export interface Described {
  name: string
  description: string
  isRequired: boolean
  kind: Kind
  choices: string[]
}

export function readDescribed(target: Target): Promise<Described[]> {
  return api(target, { path: `/collections/${target.collection.id}/names` })
}
