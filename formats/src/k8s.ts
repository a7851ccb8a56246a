import type { Format, FormatDocs } from "./format.ts"
import { printing } from "./printing.ts"
import type { SecretNames } from "./secret-names.ts"
import { environmentRefusal, type Variable } from "./variable.ts"
import { yamlString } from "./yaml.ts"

export const k8s = {
  name: "k8s",
  label: "Kubernetes Secret",
  mediaType: "application/yaml; charset=utf-8",
  fileEnding: "-secret.yaml",
  readers: "`kubectl apply -f -`",
  ...printingAs({}),
  /** The same for a Secret of another name. `secretNamesFault` says which names are allowed. */
  printAs: (variables: Variable[], names: SecretNames) => printingAs(names).print(variables),
} as const satisfies Format & { printAs: unknown }

export const docs: FormatDocs = {
  example: "`envkeep print --format k8s | kubectl apply --server-side -f -`",
  names: "letters, digits, `-`, `_` and `.`; up to 253 characters; not `.` and nothing that starts with `..`",
  values: "any text",
  limits: [
    "A Secret holds up to 1 MiB of values. Variables that do not fit are refused.",
    "Without `--server-side`, `kubectl apply` keeps a copy in an annotation and fails above 256 KiB.",
    "The Secret is called `envkeep`, unless `--name` says otherwise; `--namespace` adds a namespace. Both are options of the command, not of the API.",
    "Depending on the cluster's version, `envFrom` skips keys that are not valid variable names.",
  ],
}

function printingAs({ name, namespace }: SecretNames) {
  // In quotes, because `1e3` and `true` are names too, and YAML would take them for something else.
  const names = [
    `  name: ${name === undefined ? "envkeep" : yamlString(name)}\n`,
    namespace === undefined ? "" : `  namespace: ${yamlString(namespace)}\n`,
  ]
  const secret = `apiVersion: v1\nkind: Secret\nmetadata:\n${names.join("")}type: Opaque\n`
  return printing({
    refusal,
    write: (variable) => `  ${yamlString(variable.name)}: "${base64(variable.value)}"\n`,
    maxTotal: { valueBytes: 1024 * 1024, reason: "it does not fit: a Secret holds 1 MiB" },
    head: `${secret}data:\n`,
    empty: `${secret}data: {}\n`,
  })
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
