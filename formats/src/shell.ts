import { environmentRefusal, identifier, type Printed, printAll, type Variable } from "./variable.ts"

// Single quotes: nothing inside them is special to any shell. What is left to fear is the name. A shell evaluates what is
// assigned to its own integers, so that RANDOM='a[$(cmd)]' runs cmd in bash, and so do other names in other shells.

const own = new Set(
  (
    "_ BASH BASHOPTS BASHPID IFS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO OPTIND PPID RANDOM SECONDS SHELLOPTS " +
    "SHLVL SRANDOM UID COLUMNS LINES TMOUT PGRP PIPESTATUS USER_ID KSHEGID KSHGID KSHUID KSH_VERSION"
  ).split(" "),
)

/** Their values are code, or are expanded as code: at the prompt, under `set -x`, when mail comes, when bash starts. */
const evaluated = /^(BASH_ENV|PS\d|PROMPT_COMMAND|MAILPATH)$/

export function printShell(variables: Variable[]): Printed {
  return printAll(
    variables,
    refusal,
    ({ name, value }) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`,
  )
}

function refusal(variable: Variable): string | undefined {
  const { name, value } = variable
  const never = environmentRefusal(variable)
  if (never !== undefined) return never
  if (!identifier.test(name)) return "its name is no identifier"
  // ENV is too common a name to refuse; interactive shells expand its value, but only these two make that run anything.
  if (evaluated.test(name) || (name === "ENV" && /[$`]/.test(value))) return "shells run the value of this name as code"
  if (own.has(name) || name.startsWith("BASH_")) return "shells keep this name for themselves"
  return undefined
}
