import type { Given } from "./given.ts"

/** One command: what its manual page, its arguments, its completion and its document derive from. */
export interface Command {
  name: string
  /** In the overview. */
  group: "account" | "values" | "files" | "programs" | "tools"
  /** What follows the name: `[file]`. */
  usage: string
  /** One line, in the imperative. */
  summary: string
  /** Paragraphs. */
  details: readonly string[]
  options: readonly Option[]
  /** How many words it takes, and what to say if one is missing. Without it, none. */
  words?: { min: number; max: number; missing?: string; tooMany?: string }
  examples: readonly { line: string; what: string }[]
  /** The first word that is no option begins another command, which is passed on untouched. */
  passesOn?: true
  execute(given: Given): Promise<number>
}

export interface Option {
  name: string
  short?: string
  /** What its value is called. Without it, the option is a flag. */
  value?: string
  isMultiple?: true
  text: string
}

export const serverOption: Option = { name: "server", value: "url", text: "the server, if you use several" }

export const collectionOptions: readonly Option[] = [
  serverOption,
  { name: "collection", short: "c", value: "name", text: "the collection, by name or id" },
]

export const environmentOptions: readonly Option[] = [
  ...collectionOptions,
  { name: "environment", short: "e", value: "name", text: "the environment, by name or id" },
]

export const selectionOptions: readonly Option[] = [
  { name: "only", value: "names", isMultiple: true, text: "only these variables: A,B" },
  { name: "except", value: "names", isMultiple: true, text: "all variables but these: A,B" },
  { name: "revision", value: "number", text: "as they were at this revision" },
]

export const printingOptions: readonly Option[] = [
  ...selectionOptions,
  { name: "format", value: "name", text: "dotenv by default" },
  { name: "name", value: "name", text: "what to call the Secret of the format k8s" },
  { name: "namespace", value: "name", text: "the namespace of that Secret" },
]

export const jsonOption: Option = { name: "json", text: "print JSON for programs" }
export const showOption: Option = { name: "show", text: "show values instead of masking them" }

export const changeOptions: readonly Option[] = [
  ...environmentOptions,
  { name: "note", short: "m", value: "text", text: "why, for the history" },
  showOption,
  { name: "yes", short: "y", text: "do not ask" },
]
