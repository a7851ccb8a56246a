import type { calls } from "@envkeep/contract"
import fc, { type AsyncCommand } from "fast-check"
import type { Model } from "../model/model.ts"
import type { Play } from "../model/play.ts"
import type { Wire } from "../wire.ts"
import { adminPlays } from "./admin.ts"
import { apiKeysPlays } from "./api-keys.ts"
import { collectionsPlays } from "./collections.ts"
import { environmentsPlays } from "./environments.ts"
import { itemsPlays } from "./items.ts"
import { usersPlays } from "./users.ts"
import { variablesPlays } from "./variables.ts"

/** One for every call of the contract: a new call does not compile until it has one. */
export const plays: { [Group in keyof typeof calls]: { [Name in keyof (typeof calls)[Group]]: Play } } = {
  users: usersPlays,
  collections: collectionsPlays,
  environments: environmentsPlays,
  items: itemsPlays,
  apiKeys: apiKeysPlays,
  admin: adminPlays,
  variables: variablesPlays,
}

/** The commands as fast-check makes them: it draws them, leaves some out, and finds the shortest list that still fails. */
export function sequences(maxCommands: number, known: Play[] = allPlays()) {
  const command = fc.oneof(
    ...known.map(({ weight, turns }) => ({
      weight,
      arbitrary: turns.map(
        ({ text, run }): AsyncCommand<Model, Wire> => ({ check: () => true, run, toString: () => text }),
      ),
    })),
  )
  return fc.commands([command], { maxCommands, size: "max" })
}

export function allPlays(): Play[] {
  return Object.values(plays).flatMap((group) => Object.values(group) as Play[])
}
