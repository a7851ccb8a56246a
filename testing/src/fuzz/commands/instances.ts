import { instances } from "@envkeep/contract"
import { commandsFor, notFound } from "../model/command.ts"
import { findEnvironment } from "./environments.ts"

// The model's readers do not name themselves.
export const instancesCommands = {
  list: commandsFor(instances.list, {
    weight: 1,
    expected({ account }, _, { id = 0 }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return notFound("Environment")
      const { revision } = found.environment
      return { data: () => ({ revision, running: 0, current: 0, gone: 0, instances: [] }) }
    },
  }),
  count: commandsFor(instances.count, {
    weight: 1,
    expected: ({ account }, _, { id = 0 }) =>
      account.collections.has(id) ? { data: () => [] } : notFound("Collection"),
  }),
}
