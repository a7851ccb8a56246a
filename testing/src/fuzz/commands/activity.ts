import { type ActivityEvent, type ActivityPage, activity, type Call } from "@envkeep/contract"
import { expect } from "vitest"
import type { HttpResponse } from "../http-client.ts"
import { type CallCommands, commandsFor, type Expected, notFound } from "../model/command.ts"

const missing = notFound("Collection")

/** Events come newest first, each once, and only those that the reader may see. */
const expectEvents = (events: ActivityEvent[], isVisible: (event: ActivityEvent) => boolean) => {
  const ids = events.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => other - one))
  expect(events.filter((event) => !isVisible(event))).toEqual([])
}

const page = (isVisible: (event: ActivityEvent) => boolean): Expected => ({
  data(data) {
    expectEvents((data as ActivityPage).events, isVisible)
    return data
  },
})

const lines = (isVisible: (event: ActivityEvent) => boolean): Expected => ({
  data(_, { text }: HttpResponse) {
    const events = text.split("\n").slice(0, -1)
    expectEvents(
      events.map((line) => JSON.parse(line)),
      isVisible,
    )
    return undefined
  },
})

const ofAccount = (id: number) => (event: ActivityEvent) => event.account?.id === id
const isNameless = ({ collection, environment, key, names }: ActivityEvent) =>
  collection === null && environment === null && key === null && names.length === 0

function inCollection(call: Call, expected: (isVisible: (event: ActivityEvent) => boolean) => Expected): CallCommands {
  return commandsFor(call, {
    weight: 1,
    expected: ({ account }, _, { id = 0 }) =>
      account?.collections.has(id) ? expected(({ collection }) => collection?.id === id) : missing,
  })
}

function ofReader(call: Call, expected: (accountId: number) => Expected): CallCommands {
  return commandsFor(call, {
    weight: 1,
    expected: ({ account }) => expected(account?.id ?? 0),
  })
}

export const activityCommands = {
  ofCollection: inCollection(activity.ofCollection, page),
  exportOfCollection: inCollection(activity.exportOfCollection, lines),
  readsOfCollection: inCollection(activity.readsOfCollection, () => ({ data: (data) => data })),
  ofAccount: ofReader(activity.ofAccount, (id) => page(ofAccount(id))),
  exportOfAccount: ofReader(activity.exportOfAccount, (id) => lines(ofAccount(id))),
  ofInstance: ofReader(activity.ofInstance, () => page(isNameless)),
  exportOfInstance: ofReader(activity.exportOfInstance, () => lines(isNameless)),
}
