import { environmentRefusal, type Printed, printAll, type Variable } from "./variable.ts"
import { yamlString } from "./yaml.ts"

const names = /^(?!\.\.?$|\.\.)[-._a-zA-Z0-9]{1,253}$/
const largestSecret = 1024 * 1024

/** A Secret, its values in base64 as the API wants them. */
export function printK8s(variables: Variable[]): Printed {
  let total = 0
  const printed = printAll(variables, refusal, ({ name, value }) => `  ${yamlString(name)}: "${base64(value)}"\n`)
  if ("refused" in printed) return printed
  const data = variables.length === 0 ? "data: {}\n" : `data:\n${printed.text}`
  return { text: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: envkeep\ntype: Opaque\n${data}` }

  function refusal(variable: Variable): string | undefined {
    total += new TextEncoder().encode(variable.value).length
    const never = environmentRefusal(variable)
    if (never !== undefined) return never
    if (!names.test(variable.name)) return "its name is no key of a Secret"
    if (total > largestSecret) return "a Secret holds 1 MiB, and it is full"
    return undefined
  }
}

function base64(text: string): string {
  let bytes = ""
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}
