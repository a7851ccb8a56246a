import { identities } from "@envkeep/contract"
import fc from "fast-check"
import { commandsFor, notFound, refused } from "../model/command.ts"

// Visits to a provider are in the feature's own tests. Here the server has none.

export const identitiesCommands = {
  providers: commandsFor(identities.providers, { draw: fc.constant({}), expected: () => ({ data: () => [] }) }),
  list: commandsFor(identities.list, {
    expected: () => ({ data: () => ({ hasPassword: true, identities: [] }) }),
  }),
  connect: commandsFor(identities.connect, {
    weight: 1,
    draw: fc.record({ provider: fc.constantFrom("acme", " google ") }),
    expected: () => refused(400, "This server has no such sign-in provider"),
  }),
  confirm: commandsFor(identities.confirm, {
    weight: 1,
    draw: fc.record({ provider: fc.constantFrom("acme", "google"), to: fc.constantFrom("/", "") }),
    expected: () => refused(400, "This server has no such sign-in provider"),
  }),
  disconnect: commandsFor(identities.disconnect, {
    weight: 1,
    request: () => ({ id: 1_000_000_000 }),
    expected: () => notFound("Connected account"),
  }),
}
