import { items } from "@envkeep/contract"
import { formats, type ReadableFormatName, type Refused, type Variable } from "@envkeep/formats"

/** What a text brings, before it is held against an environment. */
export interface Incoming {
  format: ReadableFormatName
  /** By name, the last of equal names winning as it does on the server. */
  values: Map<string, string>
  faults: { line: number; reason: string }[]
  /** Variables that no environment can hold, in the contract's own words. */
  refused: Refused[]
  /** Names that stand there more than once. */
  repeated: string[]
}

/** Only JSON begins with a brace or bracket; of the others, a `.env` file is what people have. */
export function detect(text: string): ReadableFormatName {
  return /^[{[]/.test(text.trimStart()) ? "json" : "dotenv"
}

export function readText(format: ReadableFormatName, text: string): Incoming {
  if (text.trim() === "") return { format, values: new Map(), faults: [], refused: [], repeated: [] }
  const { variables, faults } = formats[format].parse(text)
  const values = new Map<string, string>()
  const refused: Refused[] = []
  const repeated = new Set<string>()
  for (const variable of variables) {
    const checked = check(variable)
    if ("reason" in checked) refused.push(checked)
    else {
      if (values.has(checked.name)) repeated.add(checked.name)
      values.set(checked.name, checked.value)
    }
  }
  return { format, values, faults, refused, repeated: [...repeated] }
}

/** The name as it will be stored, or the sentence with which the server would refuse the whole list. */
function check({ name, value }: Variable): Variable | Refused {
  // The rules for one item of a list are those for changing an item; the id has no part in them.
  const checked = items.update.input.safeParse({ id: 1, name, value })
  if (checked.success) return { name: checked.data.name, value }
  return { name, reason: checked.error.issues[0]?.message ?? "Invalid item" }
}
