import { addMembers, addNotText, addPairs, elsewhere, type Found, isElsewhere, nothingFound } from "./collect.ts"
import { hasReference } from "./references.ts"
import { type Reading, refused } from "./result.ts"
import { itemsOf, type Member, member, membersOf, type Tree, textOf } from "./tree.ts"

/** Secrets, ConfigMaps and what runs containers: one, several documents, or a List as from `kubectl get -o json`. */
export function readKubernetes(documents: Tree[]): Reading | undefined {
  const known = documents.flatMap(objectsIn)
  if (known.length === 0) return undefined
  const kinds = [...new Set(known.map(({ kind }) => kind))]
  const what = `Kubernetes ${new Intl.ListFormat("en-US").format(kinds)}`
  const because = `it has apiVersion and kind: ${kinds[0]}`
  if (kinds.includes("SealedSecret")) {
    return refused(
      what,
      because,
      "A SealedSecret is encrypted for its cluster. Import the Secret that it was made from",
    )
  }
  const found = nothingFound()
  for (const one of known) addObject(found, one)
  return { what, because, ...onlyOneSource(found) }
}

interface KubernetesObject {
  kind: string
  object: Tree
}

function objectsIn(document: Tree): KubernetesObject[] {
  const kind = textOf(member(document, "kind"))
  const items = member(document, "items")
  if (kind === undefined || textOf(member(document, "apiVersion")) === undefined) return []
  if (!kind.endsWith("List") || items?.kind !== "list") return [{ kind, object: document }]
  // The items of a SecretList do not say what they are.
  if (kind !== "List") return items.items.map((object) => ({ kind: kind.slice(0, -"List".length), object }))
  return items.items.flatMap(objectsIn)
}

function addObject(found: Found, { kind, object }: KubernetesObject): void {
  const title = textOf(member(member(object, "metadata"), "name"))
  const from = title === undefined ? kind : `${kind} ${title}`
  if (kind === "Secret") {
    const plain = membersOf(member(object, "stringData"))
    // The API server lets stringData win over data of the same name.
    const names = new Set(plain.map(({ name }) => name))
    addEncoded(
      found,
      membersOf(member(object, "data")).filter(({ name }) => !names.has(name)),
      from,
    )
    addMembers(found, plain, { from })
  } else if (kind === "ConfigMap") {
    addMembers(found, membersOf(member(object, "data")), { from })
    addEncoded(found, membersOf(member(object, "binaryData")), from)
  } else addContainers(found, object, from)
}

function addEncoded(found: Found, members: Member[], from: string): void {
  for (const { name, line, value, description } of members) {
    if (value.kind !== "text") {
      addNotText(found, { name, line, value })
      continue
    }
    const text = decodeBase64(value.text)
    if (text === undefined) found.faults.push({ line, reason: `the value of ${name} is not text in base64` })
    else found.entries.push({ line, name, value: text, ...(description !== undefined && { description }), from })
  }
}

/** The `env` of the containers in a Pod, Deployment, Job or CronJob, wherever its Pod is described. */
function addContainers(found: Found, object: Tree, from: string): void {
  const spec = member(object, "spec")
  const job = member(member(member(spec, "jobTemplate"), "spec"), "template")
  const pod = member(job, "spec") ?? member(member(spec, "template"), "spec") ?? spec
  for (const container of [...itemsOf(member(pod, "initContainers")), ...itemsOf(member(pod, "containers"))]) {
    const title = textOf(member(container, "name"))
    const env = itemsOf(member(container, "env"))
    const source = title === undefined ? from : `${from}, container ${title}`
    for (const one of env.filter(isElsewhere)) found.faults.push(elsewhere(one))
    const added = nothingFound()
    const own = env.filter((one) => !isElsewhere(one))
    addPairs(added, own, { name: "name", value: "value" }, { from: source })
    found.entries.push(...added.entries.map((entry) => ({ ...entry, ...hasReference(entry.value) })))
    found.faults.push(...added.faults)
  }
}

/** Says where variables are from only if they are from several places. */
export function onlyOneSource({ entries, faults }: Found): Found {
  if (new Set(entries.map(({ from }) => from)).size > 1) return { entries, faults }
  return { entries: entries.map(({ from: _, ...entry }) => entry), faults }
}

/** Undefined if it is not base64, or not text in UTF-8. */
export function decodeBase64(encoded: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
