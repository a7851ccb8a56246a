import { claimedTeams } from "@envkeep/contract"
import fc from "fast-check"
import { commandsFor, notFound } from "../model/command.ts"

/** The model knows no teams. */
const unknownTeam = { fields: { id: fc.constant(987_654_321) }, refusal: () => notFound("Team") }

export const claimedTeamsCommands = {
  // The server has no sign-in provider.
  list: commandsFor(claimedTeams.list, { weight: 1, data: () => ({ hasClaim: false, teams: [] }) }),
  tie: commandsFor(claimedTeams.tie, {
    weight: 1,
    ...unknownTeam,
    fields: { ...unknownTeam.fields, value: fc.constant("ops") },
  }),
  untie: commandsFor(claimedTeams.untie, { weight: 1, ...unknownTeam }),
}
