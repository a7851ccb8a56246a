import { claimedTeams } from "@envkeep/contract"
import fc from "fast-check"
import { commandsFor, notFound } from "../model/command.ts"

const unknownId = 987_654_321

// The model knows no teams, and the server has no sign-in provider.
export const claimedTeamsCommands = {
  list: commandsFor(claimedTeams.list, {
    weight: 1,
    draw: fc.constant({}),
    expected: () => ({ data: () => ({ hasClaim: false, teams: [] }) }),
  }),
  tie: commandsFor(claimedTeams.tie, {
    weight: 1,
    draw: fc.constant({}),
    request: () => ({ id: unknownId, body: { value: "ops" } }),
    expected: () => notFound("Team"),
  }),
  untie: commandsFor(claimedTeams.untie, {
    weight: 1,
    draw: fc.constant({}),
    request: () => ({ id: unknownId }),
    expected: () => notFound("Team"),
  }),
}
