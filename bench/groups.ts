import type { Group } from "./bench.ts"
import { companyOn } from "./company/group.ts"
import { oneAgainstAll, signIns } from "./groups/attacks.ts"
import { idle, instances, watchers } from "./groups/connections.ts"
import { activity, find, history, lists, people } from "./groups/lists.ts"
import { commandLine, login, memory, start } from "./groups/processes.ts"
import { coldRead, growth, read, workers } from "./groups/reads.ts"
import { save } from "./groups/save.ts"
import { grid, screens } from "./groups/screens.ts"
import { day } from "./traffic/day.ts"
import { soak } from "./traffic/soak.ts"

export const groups: Group[] = [
  read,
  workers,
  coldRead,
  growth,
  lists,
  find,
  people,
  activity,
  save,
  history,
  watchers,
  instances,
  login,
  signIns,
  oneAgainstAll,
  start,
  memory,
  idle,
  soak,
  commandLine,
  screens,
  grid,
  companyOn("sqlite"),
  companyOn("postgres"),
  day,
]
