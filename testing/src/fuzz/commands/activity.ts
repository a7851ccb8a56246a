import { type ActivityEvent, activity } from "@envkeep/contract"
import { expect } from "vitest"
import type { HttpResponse } from "../http-client.ts"
import { anyData, commandsAbout, commandsFor } from "../model/command.ts"
import type { Account, ModelCollection } from "../model/model.ts"

/** Events come newest first, each once, and only those that the reader may see. */
function expectEvents(events: ActivityEvent[], isVisible: (event: ActivityEvent) => boolean): void {
  const ids = events.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => other - one))
  expect(events.filter((event) => !isVisible(event))).toEqual([])
}

/** A page of events, and all of them as lines of text. */
function eventsFor<Context>(isVisible: (context: Context) => (event: ActivityEvent) => boolean) {
  const page = {
    weight: 1,
    data<Data extends { events: ActivityEvent[] }>(context: Context, data: Data) {
      expectEvents(data.events, isVisible(context))
      return data
    },
  }
  const lines = {
    weight: 1,
    data(context: Context, _: unknown, { text }: HttpResponse) {
      const events = text.split("\n").slice(0, -1)
      expectEvents(
        events.map((line) => JSON.parse(line)),
        isVisible(context),
      )
    },
  }
  return { page, lines }
}

const ofCollection = eventsFor(
  (context: { collection: ModelCollection }) =>
    ({ collection }) =>
      collection?.id === context.collection.id,
)
const ofAccount = eventsFor(
  (context: { account: Account }) =>
    ({ account }) =>
      account?.id === context.account.id,
)
const nameless = eventsFor(
  () =>
    ({ collection, environment, key, names }) =>
      collection === null && environment === null && key === null && names.length === 0,
)

export const activityCommands = {
  ofCollection: commandsAbout("collection", activity.ofCollection, ofCollection.page),
  exportOfCollection: commandsAbout("collection", activity.exportOfCollection, ofCollection.lines),
  readsOfCollection: commandsAbout("collection", activity.readsOfCollection, { weight: 1, data: anyData }),
  ofAccount: commandsFor(activity.ofAccount, ofAccount.page),
  exportOfAccount: commandsFor(activity.exportOfAccount, ofAccount.lines),
  ofInstance: commandsFor(activity.ofInstance, nameless.page),
  exportOfInstance: commandsFor(activity.exportOfInstance, nameless.lines),
}
