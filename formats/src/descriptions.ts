import type { Format } from "./formats.ts"

/** What a person must know to choose a format. `docs/formats.md` is made of these. */
export interface Description {
  title: string
  /** The programs it is written for; tests let each of them read it back. */
  readers: string
  use: string
  names: string
  values: string
  /** Where a reader is limited or wrong, and what follows from it. */
  limits: string[]
}

const anyText = "any text"
const identifiers = "letters, digits and `_`, not beginning with a digit"

export const descriptions: Record<Format, Description> = {
  json: {
    title: "JSON",
    readers: "any JSON parser",
    use: "`envkeep print --format json | jq -r .NAME`",
    names: anyText,
    values: anyText,
    limits: [
      "JavaScript's `JSON.parse` moves names like `1` to the front; the text itself keeps the order.",
      "When read, a value must be a string: a number or a list is reported, not turned into text.",
    ],
  },
  raw: {
    title: "Raw text",
    readers: "Envkeep's own bulk editor",
    use: "`envkeep print --format raw`",
    names: "no `=`, no line break, no space at either end",
    values: "no line break, no carriage return at the end",
    limits: ["There are no quotes, escapes or comments: what stands behind the first `=` is the value."],
  },
  dotenv: {
    title: ".env file",
    readers: "[dotenv](https://www.npmjs.com/package/dotenv) 16 to 18, `node --env-file` of Node 20.12 or newer",
    use: "`envkeep save .env`",
    names: "letters, digits, `_`, `.` and `-`; not `__proto__`, which dotenv loses, nor a number, which Node loses",
    values: "no carriage return; see below for quotes and backslashes",
    limits: [
      "Neither reader has an escape for quotes. A value goes into the first of `'`, `\"` and `` ` `` that it does not contain; with all three kinds it must stand without quotes, and is refused if it also has a line break, a `#`, a space at either end or a quote at its beginning.",
      "Both turn `\\n` inside double quotes into a line break, so a value with a backslash before an `n` or `r` does not go into double quotes.",
      "dotenv may take a backslash before the closing quote for an escape (`A='x\\'` can swallow the next line). A value that ends in a backslash stands without quotes, or is refused where it cannot.",
      "Node removes every carriage return and dotenv turns it into a line break, so a value that has one is refused.",
      "Tools that expand `$` (dotenv-expand, Vite, Next.js, Docker Compose) do so outside single quotes. Values with a `$` stand in single quotes unless they contain one.",
      "Node reads `A= ` with nothing but a space behind it as the whole next line; an empty value is written as `''`.",
      "When read: `export`, comments, all three quotes, values of many lines, Windows line ends and a byte order mark are understood. Where dotenv and Node would read different values (a backslash before a quote, text after the closing quote, `\\r` in double quotes), where a quote is never closed, and where both would cut a value at a `#` without a space before it, the line is reported.",
    ],
  },
  shell: {
    title: "Shell script",
    readers: "`sh`, `bash` and `dash`, by `.` or `eval`; Python's `shlex`",
    use: '`eval "$(envkeep print --format shell)"`',
    names: `${identifiers}; not the names below`,
    values: anyText,
    limits: [
      "Shells evaluate what is assigned to some of their own variables: `RANDOM='a[$(cmd)]'` runs `cmd` in bash. Such names, and those that a shell makes read-only or overwrites, are refused: `_`, `IFS`, `UID`, `EUID`, `PPID`, `GROUPS`, `RANDOM`, `SRANDOM`, `SECONDS`, `LINENO`, `OPTIND`, `SHLVL`, `SHELLOPTS`, `HISTCMD`, `FUNCNAME`, `DIRSTACK`, `EPOCHSECONDS`, `EPOCHREALTIME`, `COLUMNS`, `LINES`, `TMOUT`, `PGRP`, `PIPESTATUS`, `USER_ID`, `KSHUID`, `KSHGID`, `KSHEGID`, `KSH_VERSION`, `BASH`, `BASHPID`, `BASHOPTS` and all that begin with `BASH_`.",
      "So are names whose values a shell runs: `PROMPT_COMMAND`, `PS0` to `PS4`, `MAILPATH`, `BASH_ENV`; and `ENV` when its value has a `$` or a backtick.",
      "zsh reads it too, but keeps more names for itself, such as `path`, `status` and `HISTSIZE`.",
    ],
  },
  docker: {
    title: "Docker",
    readers: "`docker run --env-file`",
    use: "`docker run --env-file <(envkeep print --format docker) image`",
    names: "no space of any kind, no `=`, not beginning with `#`",
    values: "no line break, no carriage return at the end",
    limits: [
      "There are no quotes and no escapes, so a value with a line break cannot be written.",
      "Docker reads lines of up to 65,535 bytes; a longer name and value are refused.",
      "Docker Compose reads `env_file:` by other rules; give it this format with `format: raw` (Compose 2.30 or newer).",
    ],
  },
  systemd: {
    title: "systemd",
    readers: "`EnvironmentFile=`",
    use: "`envkeep save /run/app.env --format systemd`",
    names: identifiers,
    values: "no control characters but tab and line break, no Unicode noncharacters",
    limits: [
      "systemd drops a variable whose value has a control character, and refuses the whole file for a noncharacter such as U+FFFE; both are refused.",
      "The escapes are those of a shell in double quotes, so that `$` and backticks stay text even where a script sources the file. `environment.d` has the same quotes but expands `$`.",
    ],
  },
  yaml: {
    title: "YAML",
    readers: "any YAML 1.1 or 1.2 parser",
    use: "`envkeep save values.yaml --format yaml`",
    names: "any text of up to 1,022 characters, escapes counted",
    values: anyText,
    limits: ["Names and values are always in double quotes, so that `NO`, `1e3` and `null` stay text."],
  },
  k8s: {
    title: "Kubernetes Secret",
    readers: "`kubectl apply -f -`",
    use: "`envkeep print --format k8s | kubectl apply --server-side -f -`",
    names: "letters, digits, `-`, `_` and `.`; up to 253 characters; not `.` and nothing that begins with `..`",
    values: anyText,
    limits: [
      "A Secret holds up to 1 MiB of values; the variables that no longer fit are refused.",
      "Without `--server-side`, `kubectl apply` keeps a copy in an annotation and fails over 256 KiB.",
      "The Secret is called `envkeep`. `envFrom` passes over keys that are no names of variables to the cluster's version.",
    ],
  },
}
