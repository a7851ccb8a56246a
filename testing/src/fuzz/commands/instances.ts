import { instances } from "@envkeep/contract"
import { commandsAbout } from "../model/command.ts"

// The model's readers do not name themselves.
export const instancesCommands = {
  list: commandsAbout("environment", instances.list, {
    weight: 1,
    data: ({ environment: { revision } }) => ({ revision, running: 0, current: 0, gone: 0, instances: [] }),
  }),
  count: commandsAbout("collection", instances.count, { weight: 1, data: () => [] }),
}
