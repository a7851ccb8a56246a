import { addAssignments, addMembers, addPairs, elsewhere, type Found, isElsewhere, nothingFound } from "./collect.ts"
import { decodeBase64, onlyOneSource } from "./kubernetes.ts"
import { hasReference } from "./references.ts"
import { type Reading, refused } from "./result.ts"
import { isMap, itemsOf, member, membersOf, type Tree, textOf } from "./tree.ts"

type Recognise = (documents: Tree[]) => Reading | undefined

/** What a password manager exports: logins and notes, whose fields are no variables. */
export const readBitwarden: Recognise = ([document]) => {
  const isVault = member(document, "encrypted") !== undefined && member(document, "folders") !== undefined
  const isProtected =
    member(document, "passwordProtected") !== undefined || member(document, "encKeyValidation_DO_NOT_EDIT")
  if (!isVault && !isProtected) return undefined
  const refusal =
    "This is a vault of logins that Bitwarden exported. Import secrets of its Secrets Manager, or a .env file"
  return refused("Bitwarden export", "it has encrypted and folders", refusal)
}

/** `gcloud secrets versions access --format json`, and lists of secrets, which have no values. */
export const readGcpSecret: Recognise = ([document]) => {
  const because = "its name is a path of Secret Manager"
  const what = "Google Secret Manager secret"
  const first = document?.kind === "list" ? document.items[0] : (itemsOf(member(document, "secrets"))[0] ?? document)
  const [, name] = /^projects\/[^/]+\/secrets\/([^/]+)/.exec(textOf(member(first, "name")) ?? "") ?? []
  if (name === undefined) return undefined
  const data = member(member(document, "payload"), "data")
  const text = textOf(data)
  if (data === undefined || text === undefined) {
    return refused(what, because, "This text has no values. Run gcloud secrets versions access for each secret")
  }
  const value = decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/"))
  const reason = `the value of ${name} is not text in base64`
  return value === undefined
    ? { what, because, entries: [], faults: [{ line: data.line, reason }] }
    : { what, because, entries: [{ line: data.line, name, value }], faults: [] }
}

/** `gh secret list --json …` and the API's answer. */
export const readGithubSecrets: Recognise = ([document]) => {
  const list = document?.kind === "list" ? document : member(document, "secrets")
  const isSecret = (item: Tree) =>
    textOf(member(item, "name")) !== undefined &&
    member(item, "value") === undefined &&
    (member(item, "updatedAt") ?? member(item, "updated_at")) !== undefined
  if (itemsOf(list).length === 0 || !itemsOf(list).every(isSecret)) return undefined
  const refusal = "GitHub does not give out the values of secrets. Import them from where they were made"
  return refused("GitHub's list of secrets", "its items have a name and no value", refusal)
}

/** What `aws lambda` prints about a function, and the functions of a CloudFormation template. */
export const readLambda: Recognise = ([document]) => {
  const found = nothingFound()
  const configuration = member(document, "Configuration") ?? document
  const variables = member(member(configuration, "Environment"), "Variables")
  if (isMap(variables)) {
    addMembers(found, membersOf(variables))
    return { what: "AWS Lambda configuration", because: "it has Environment.Variables", ...found }
  }
  if (member(configuration, "FunctionArn") !== undefined) {
    return { what: "AWS Lambda configuration", because: "it has FunctionArn", ...found }
  }
  const resources = member(document, "Resources")
  if (!membersOf(resources).some(({ value }) => textOf(member(value, "Type"))?.includes("::"))) return undefined
  for (const { name, value } of membersOf(resources)) {
    const environment = member(member(member(value, "Properties"), "Environment"), "Variables")
    addMembers(found, membersOf(environment), { from: name })
  }
  return { what: "CloudFormation template", because: "it has Resources", ...onlyOneSource(found) }
}

const blockNames = /^(?:env|environment|environment_variables|variables|envVars|extraEnv|extraEnvVars)$/

/**
 * Blocks of variables in a configuration of something else: Helm values, Cloud Run, CircleCI, Serverless, workflows. What
 * is around them is not a variable.
 */
export const readEnvBlocks: Recognise = ([document]) => {
  const found = nothingFound()
  const blocks = [...blocksIn(document, [])]
  for (const { path, value } of blocks) addBlock(found, value, path)
  const isTop = blocks.every(({ path }) => !path.includes("."))
  // At the top, a map may be one of several values. A list of names and values is none.
  if (blocks.length === 0 || (isTop && !blocks.some(({ value }) => hasPairs(value)))) return undefined
  return { what: whatHas(document), because: `it has ${blocks[0]?.path}`, ...onlyOneSource(found) }
}

function whatHas(document: Tree | undefined): string {
  const has = (...names: string[]) => names.every((name) => member(document, name) !== undefined)
  if (has("provider", "service")) return "Serverless configuration"
  if (has("on", "jobs")) return "GitHub Actions workflow"
  if (has("version", "jobs")) return "CircleCI configuration"
  if (has("template")) return "Cloud Run service"
  return "Configuration with variables"
}

function* blocksIn(tree: Tree | undefined, path: string[]): Generator<{ path: string; value: Tree }> {
  for (const { name, value } of membersOf(tree)) {
    const here = [...path, name]
    if (blockNames.test(name) && isBlock(value)) yield { path: here.join("."), value }
    else yield* blocksIn(value, here)
  }
  for (const item of itemsOf(tree)) yield* blocksIn(item, [...path, textOf(member(item, "name")) ?? ""].filter(Boolean))
}

function isBlock(value: Tree): boolean {
  if (value.kind === "list") return hasPairs(value) || value.items.some((item) => textOf(item)?.includes("="))
  return membersOf(value).some((one) => one.value.kind === "text")
}

function hasPairs(value: Tree): boolean {
  return itemsOf(value).some((item) => textOf(member(item, "name")) !== undefined)
}

function addBlock(found: Found, block: Tree, from: string): void {
  const added = nothingFound()
  const pairs = itemsOf(block).filter((item) => isMap(item) && !isElsewhere(item))
  addPairs(added, pairs, { name: "name", value: "value" }, { from })
  addAssignments(
    added,
    itemsOf(block).filter((item) => !isMap(item)),
    "it has no value",
    { from },
  )
  addMembers(added, membersOf(block), { from })
  for (const item of itemsOf(block).filter(isElsewhere)) added.faults.push(elsewhere(item))
  found.entries.push(...added.entries.map((entry) => ({ ...entry, ...hasReference(entry.value) })))
  found.faults.push(...added.faults)
}
