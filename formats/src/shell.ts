import { escaping } from "./escaping.ts"
import type { Format, FormatDocs } from "./format.ts"
import { printing } from "./printing.ts"
import { environmentRefusal, identifier, type Variable } from "./variable.ts"

// Inside single quotes nothing is special to any shell, so values are safe. Names are not: a shell evaluates what is
// assigned to its own integer variables. RANDOM='a[$(cmd)]' runs cmd in bash, and other shells have other such names.

const escaped = escaping("'", () => String.raw`'\''`)

export const shell = {
  name: "shell",
  label: "Shell script",
  mediaType: "text/plain; charset=utf-8",
  fileEnding: ".sh",
  readers: "`sh`, `bash` and `dash`, by `.` or `eval`; Python's `shlex`",
  ...printing({
    refusal: (variable) => environmentRefusal(variable) ?? refusal(variable),
    write: ({ name, value }) => `export ${name}='${escaped(value)}'\n`,
  }),
} as const satisfies Format

export const docs: FormatDocs = {
  example: '`eval "$(envkeep print --format shell)"`',
  names: "letters, digits and `_`, not starting with a digit; not the names below",
  values: "any text",
  limits: [
    "Shells evaluate what is assigned to some of their own variables: `RANDOM='a[$(cmd)]'` runs `cmd` in bash. These names are refused, and so are names that a shell makes read-only or overwrites: `_`, `IFS`, `UID`, `EUID`, `PPID`, `GROUPS`, `RANDOM`, `SRANDOM`, `SECONDS`, `LINENO`, `OPTIND`, `SHLVL`, `SHELLOPTS`, `HISTCMD`, `FUNCNAME`, `DIRSTACK`, `EPOCHSECONDS`, `EPOCHREALTIME`, `COLUMNS`, `LINES`, `TMOUT`, `PGRP`, `PIPESTATUS`, `USER_ID`, `KSHUID`, `KSHGID`, `KSHEGID`, `KSH_VERSION`, `BASH`, `BASHPID`, `BASHOPTS` and every name that starts with `BASH_`.",
    "Names whose values a shell runs are refused too: `PROMPT_COMMAND`, `PS0` to `PS4`, `MAILPATH`, `BASH_ENV`, and `ENV` when its value has a `$` or a backtick.",
    "zsh reads it too, but reserves more names, such as `path`, `status` and `HISTSIZE`.",
  ],
}

const reserved = new Set(
  (
    "_ BASH BASHOPTS BASHPID IFS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO OPTIND PPID RANDOM SECONDS SHELLOPTS " +
    "SHLVL SRANDOM UID COLUMNS LINES TMOUT PGRP PIPESTATUS USER_ID KSHEGID KSHGID KSHUID KSH_VERSION"
  ).split(" "),
)

/** Shells run or expand these values: at the prompt, under `set -x`, when mail arrives, when bash starts. */
const evaluated = /^(BASH_ENV|PS\d|PROMPT_COMMAND|MAILPATH)$/

function refusal({ name, value }: Variable): string | undefined {
  if (!identifier.test(name)) return "its name is not a valid identifier"
  // ENV is too common a name to refuse. Interactive shells expand its value, but only these two characters run anything.
  if (evaluated.test(name) || (name === "ENV" && /[$`]/.test(value))) return "shells run the value of this name as code"
  if (reserved.has(name) || name.startsWith("BASH_")) return "shells reserve this name"
  return undefined
}
