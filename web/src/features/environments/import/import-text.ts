import { items } from "@envkeep/contract"
import { formats, type ReadableFormatName, type Refused, type Variable } from "@envkeep/formats"

/** The contents of a text, before they are compared with an environment. */
export interface Incoming {
  format: ReadableFormatName
  /** By name. The last of equal names wins, as on the server. */
  values: Map<string, string>
  faults: { line: number; reason: string }[]
  /** Variables that no environment can hold, with the message of the contract. */
  refused: Refused[]
  /** Names that appear more than once. */
  repeated: string[]
}

/** Only JSON starts with a brace or bracket. Everything else is most likely a `.env` file. */
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

/** The variable as it will be stored, or the message with which the server would refuse the whole list. */
function check({ name, value }: Variable): Variable | Refused {
  // An item in a list has the same rules as an update of an item. The id does not matter.
  const checked = items.update.input.safeParse({ id: 1, name, value })
  if (checked.success) return { name: checked.data.name, value }
  return { name, reason: checked.error.issues[0]?.message ?? "Invalid item" }
}
