import type { Command } from "../command.ts"
import { check } from "./check.ts"
import { completion } from "./completion.ts"
import { diff } from "./diff.ts"
import { edit } from "./edit.ts"
import { get } from "./get.ts"
import { history, rollback } from "./history.ts"
import { init } from "./init.ts"
import { list } from "./list.ts"
import { login, logout, whoami } from "./login.ts"
import { open } from "./open.ts"
import { print, save } from "./print.ts"
import { pull } from "./pull.ts"
import { push } from "./push.ts"
import { run } from "./run.ts"
import { scan } from "./scan.ts"
import { set, unset } from "./set.ts"
import { types } from "./types.ts"

/** Every command, in the order in which help and the document show them. */
export const commands: readonly Command[] = [
  run,
  print,
  save,
  login,
  logout,
  whoami,
  init,
  list,
  get,
  set,
  unset,
  edit,
  history,
  rollback,
  pull,
  push,
  diff,
  check,
  scan,
  types,
  open,
  completion,
]
