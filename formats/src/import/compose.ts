import { addAssignments, addMembers, type Found, nothingFound } from "./collect.ts"
import { onlyOneSource } from "./kubernetes.ts"
import { hasReference } from "./references.ts"
import type { Reading } from "./result.ts"
import { isMap, itemsOf, type Member, member, membersOf, type Tree } from "./tree.ts"

const fromShell = "it has no value here: Compose takes it from the shell"

/** The `environment` of a Compose file's services, or that part alone. Other files call such a part `env` or `variables`. */
export function readCompose([document]: Tree[]): Reading | undefined {
  const services = member(document, "services")
  const found = nothingFound()
  if (isMap(services)) {
    for (const { name, value } of membersOf(services)) {
      addEnvironment(found, member(value, "environment"), `service ${name}`)
    }
    return { what: "Compose file", because: "it has services", ...onlyOneSource(found) }
  }
  const part = partOf(document)
  if (part === undefined) return undefined
  addEnvironment(found, part.value, "")
  return { what: "Environment block", because: `it has ${part.name}`, ...onlyOneSource(found) }
}

function partOf(document: Tree | undefined): Member | undefined {
  const members = membersOf(document)
  const isPart = ({ value }: Member) => isMap(value) || itemsOf(value).some((item) => item.kind === "text")
  const environment = members.findLast(({ name }) => name === "environment")
  if (environment !== undefined && isPart(environment)) return environment
  // With other names beside it, a map called env may be one of several values.
  const [only, ...others] = members
  return only !== undefined && others.length === 0 && /^(?:env|variables)$/.test(only.name) && isPart(only)
    ? only
    : undefined
}

function addEnvironment(found: Found, environment: Tree | undefined, from: string): void {
  const added = nothingFound()
  addAssignments(added, itemsOf(environment), fromShell, { from })
  const [unset, set] = partition(membersOf(environment))
  addMembers(added, set, { from })
  found.faults = found.faults.concat(
    added.faults,
    unset.map(({ line }) => ({ line, reason: fromShell })),
  )
  for (const entry of added.entries) {
    // In a Compose file, $$ is how a $ is written.
    const value = entry.value.replaceAll("$$", () => "$")
    found.entries.push({ ...entry, value, ...hasReference(entry.value.replaceAll("$$", "")) })
  }
}

function partition(members: Member[]): [Member[], Member[]] {
  return [members.filter(({ value }) => value.kind === "null"), members.filter(({ value }) => value.kind !== "null")]
}
