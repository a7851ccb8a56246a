/** How a text is written. What it is about, such as a Kubernetes Secret, is recognised after that. */
export const syntaxes = ["dotenv", "shell", "json", "yaml", "heroku", "systemd", "raw"] as const
export type Syntax = (typeof syntaxes)[number]

export const syntaxLabels: Record<Syntax, string> = {
  dotenv: ".env file",
  shell: "Shell script",
  json: "JSON",
  yaml: "YAML",
  heroku: "heroku config",
  systemd: "systemd EnvironmentFile",
  raw: "Raw text",
}

/** A variable in a text, before names are compared with each other. */
export interface ImportEntry {
  line: number
  name: string
  value: string
  /** The comment above or beside it, or the note of the product that exported it. */
  description?: string
  /** Which part of the text it is from, such as "service web". Absent if the text has only one. */
  from?: string
  /** The program that the text was written for would replace a `$` in it by something else. Envkeep does not. */
  hasReference?: true
}

export interface ImportFault {
  line: number
  reason: string
}

/** What one reader made of a text. */
export interface Reading {
  /** What was recognised, such as "Kubernetes Secret", and a clause that says by what. */
  what: string
  because: string
  entries: ImportEntry[]
  faults: ImportFault[]
  /** Its values are examples, and what matters is what it says about the names. */
  isExample?: true
  /** A sentence, if nothing of the text can be imported. */
  refusal?: string
}

export interface ImportResult extends Reading {
  syntax: Syntax
}

/**
 * Twice what an environment holds, so that some may be duplicates. A text with more variables or faults is refused,
 * because what is found is also shown, which takes time.
 */
export const maxFound = 20_000

export function refused(what: string, because: string, refusal: string): Reading {
  return { what, because, entries: [], faults: [], refusal }
}
