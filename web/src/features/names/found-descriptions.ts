import { type InputOf, limits, type names } from "@envkeep/contract"
import { type FoundDescription, parseEnvExample } from "@envkeep/formats"
import type { Abouts } from "./queries.ts"

export type NewDescription = InputOf<typeof names.describeMany>["names"][number]

interface Options {
  /** Whether values are examples. They may be real secrets, so the user decides. */
  withExamples: boolean
  /** Whether what is described already is replaced. */
  replaces: boolean
}

/** What the text of a file says about names that is not known yet. */
export function newDescriptions(text: string, abouts: Abouts, options: Options): NewDescription[] {
  return whatIsNew(parseEnvExample(text), abouts, options)
}

/** What is not known yet, cut to the lengths that descriptions can have. */
export function whatIsNew(
  found: FoundDescription[],
  abouts: Abouts,
  { withExamples, replaces }: Options,
): NewDescription[] {
  return found.flatMap(({ name, example, description, kind, choices = [], ...marks }) => {
    if ([...name].length > limits.itemName) return []
    const about = abouts.get(name)
    const isNew = about === undefined || replaces
    const said = {
      ...(isNew && marks),
      ...(isNew && kind !== undefined && isShort(choices) && { kind, choices: [...choices] }),
      ...(description !== undefined && (isNew || about.description === "") && { description: cut(description) }),
      ...(withExamples && isExample(example) && (isNew || about.example === "") && { example }),
    }
    return Object.keys(said).length === 0 ? [] : [{ name, ...said }]
  })
}

function isShort(choices: readonly string[]): boolean {
  return choices.length <= limits.choicesPerName && choices.every((choice) => [...choice].length <= limits.choice)
}

function isExample(example: string | undefined): example is string {
  return example !== undefined && [...example].length <= limits.example
}

function cut(description: string): string {
  return [...description].slice(0, limits.description).join("")
}

/** Whether a file says by its name that its values are examples. */
export function isExampleFile(name: string): boolean {
  return /example|sample|template|schema|dist|default/i.test(name)
}
