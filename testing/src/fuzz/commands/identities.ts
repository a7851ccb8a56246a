import { identities } from "@envkeep/contract"
import fc from "fast-check"
import { commandsFor, notFound, refused, refusedCalls } from "../model/command.ts"

// Visits to a provider are in the feature's own tests. Here the server has none.

const refusal = () => refused(400, "This server has no such sign-in provider")

export const identitiesCommands = {
  providers: commandsFor(identities.providers, { data: () => [] }),
  list: commandsFor(identities.list, { data: () => ({ hasPassword: true, identities: [] }) }),
  connect: commandsFor(identities.connect, {
    weight: 1,
    fields: { provider: fc.constantFrom("acme", " google ") },
    refusal,
  }),
  confirm: commandsFor(identities.confirm, {
    weight: 1,
    fields: { provider: fc.constantFrom("acme", "google"), to: fc.constantFrom("/", "") },
    refusal,
  }),
  disconnect: refusedCalls(notFound("Connected account"))(identities.disconnect),
}
