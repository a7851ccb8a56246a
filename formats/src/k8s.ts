import type { Format, FormatDocs } from "./format.ts"
import { printing } from "./printing.ts"
import { environmentRefusal, type Variable } from "./variable.ts"
import { yamlString } from "./yaml.ts"

const secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: envkeep\ntype: Opaque\n"

export const k8s = {
  name: "k8s",
  label: "Kubernetes Secret",
  mediaType: "application/yaml; charset=utf-8",
  fileEnding: "-secret.yaml",
  readers: "`kubectl apply -f -`",
  ...printing({
    refusal,
    write: ({ name, value }) => `  ${yamlString(name)}: "${base64(value)}"\n`,
    maxTotal: { valueBytes: 1024 * 1024, reason: "it does not fit: a Secret holds 1 MiB" },
    head: `${secret}data:\n`,
    empty: `${secret}data: {}\n`,
  }),
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

function refusal(variable: Variable): string | undefined {
  return (
    environmentRefusal(variable) ?? (keys.test(variable.name) ? undefined : "its name is not a valid key of a Secret")
  )
}

/** The API takes the values of a Secret in base64. */
function base64(text: string): string {
  let bytes = ""
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}
