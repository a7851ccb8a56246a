import type { Format, FormatDocs } from "./format.ts"
import { environmentRefusal, type Printed, printOrRefuse, type Variable } from "./variable.ts"
import { yamlString } from "./yaml.ts"

export const k8s = {
  name: "k8s",
  label: "Kubernetes Secret",
  mediaType: "application/yaml; charset=utf-8",
  fileEnding: "-secret.yaml",
  readers: "`kubectl apply -f -`",
  print,
} as const satisfies Format

export const docs: FormatDocs = {
  example: "`envkeep print --format k8s | kubectl apply --server-side -f -`",
  names: "letters, digits, `-`, `_` and `.`; up to 253 characters; not `.` and nothing that starts with `..`",
  values: "any text",
  limits: [
    "A Secret holds up to 1 MiB of values. Variables that do not fit are refused.",
    "Without `--server-side`, `kubectl apply` keeps a copy in an annotation and fails above 256 KiB.",
    "The Secret is called `envkeep`. Depending on the cluster's version, `envFrom` skips keys that are not valid variable names.",
  ],
}

const keys = /^(?!\.\.?$|\.\.)[-._a-zA-Z0-9]{1,253}$/
const maxSecretBytes = 1024 * 1024

/** The API takes the values of a Secret in base64. */
function print(variables: Variable[]): Printed {
  let totalBytes = 0
  const printed = printOrRefuse(variables, refusal, ({ name, value }) => `  ${yamlString(name)}: "${base64(value)}"\n`)
  if ("refused" in printed) return printed
  const data = variables.length === 0 ? "data: {}\n" : `data:\n${printed.text}`
  return { text: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: envkeep\ntype: Opaque\n${data}` }

  function refusal(variable: Variable): string | undefined {
    totalBytes += new TextEncoder().encode(variable.value).length
    const neverFits = environmentRefusal(variable)
    if (neverFits !== undefined) return neverFits
    if (!keys.test(variable.name)) return "its name is not a valid key of a Secret"
    if (totalBytes > maxSecretBytes) return "it does not fit: a Secret holds 1 MiB"
    return undefined
  }
}

function base64(text: string): string {
  let bytes = ""
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}
