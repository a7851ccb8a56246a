import type { Group } from "./bench.ts"
import { companyOn } from "./company/group.ts"
import { activity } from "./groups/activity.ts"
import { coldRead } from "./groups/cold-read.ts"
import { commandLine } from "./groups/command-line.ts"
import { day } from "./groups/day.ts"
import { find } from "./groups/find.ts"
import { grid } from "./groups/grid.ts"
import { growth } from "./groups/growth.ts"
import { history } from "./groups/history.ts"
import { idle } from "./groups/idle.ts"
import { instances } from "./groups/instances.ts"
import { lists } from "./groups/lists.ts"
import { login } from "./groups/login.ts"
import { memory } from "./groups/memory.ts"
import { oneAgainstAll } from "./groups/one-against-all.ts"
import { people } from "./groups/people.ts"
import { read } from "./groups/read.ts"
import { save } from "./groups/save.ts"
import { screens } from "./groups/screens.ts"
import { signIns } from "./groups/sign-ins.ts"
import { soak } from "./groups/soak.ts"
import { start } from "./groups/start.ts"
import { watchers } from "./groups/watchers.ts"
import { workers } from "./groups/workers.ts"

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
