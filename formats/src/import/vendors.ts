import { addAssignments, addMembers, addPairs, type Found, nothingFound } from "./collect.ts"
import { decodeBase64, onlyOneSource } from "./kubernetes.ts"
import { parseJsonTree } from "./parse-json-tree.ts"
import { type Reading, refused } from "./result.ts"
import { isMap, itemsOf, member, membersOf, type Tree, textOf } from "./tree.ts"

type Recognise = (documents: Tree[]) => Reading | undefined

/** `docker inspect` of containers or images. */
export const readDockerInspect: Recognise = ([document]) => {
  const inspected = document?.kind === "list" ? document.items : document === undefined ? [] : [document]
  const found = nothingFound()
  const withEnv = inspected.filter((one) => member(member(one, "Config"), "Env")?.kind === "list")
  if (withEnv.length === 0) return undefined
  for (const one of withEnv) {
    const name = textOf(member(one, "Name"))?.replace(/^\//, "") ?? textOf(member(one, "Id"))?.slice(0, 19) ?? "?"
    addAssignments(found, itemsOf(member(member(one, "Config"), "Env")), "it has no value", {
      from: `container ${name}`,
    })
  }
  return { what: "docker inspect", because: "it has Config.Env", ...onlyOneSource(found) }
}

/** `aws ssm get-parameters-by-path` and its neighbours. */
export const readSsm: Recognise = ([document]) => {
  const list = member(document, "Parameters") ?? member(document, "Parameter")
  const parameters = list?.kind === "list" ? list.items : list === undefined ? [] : [list]
  if (parameters.length === 0 || textOf(member(parameters[0], "Name")) === undefined) return undefined
  const found = nothingFound()
  for (const one of parameters) {
    const value = textOf(member(one, "Value")) ?? ""
    if (textOf(member(one, "Type")) === "SecureString" && /^AQ[IE]CAH/.test(value)) {
      const name = textOf(member(one, "Name")) ?? ""
      found.faults.push({
        line: one.line,
        reason: `the value of ${name} is encrypted: export it with --with-decryption`,
      })
    } else addPairs(found, [one], { name: "Name", value: "Value" })
  }
  const folder = commonFolder(found.entries.map(({ name }) => name))
  const because = folder === "" ? "it has Parameters" : "it has Parameters. Their common path is not part of the names"
  const entries = found.entries.map((entry) => ({
    ...entry,
    name: entry.name.slice(folder.length).replaceAll("/", "_"),
  }))
  return { what: "AWS SSM parameters", because, entries, faults: found.faults }
}

/** The path that all names begin with, with its last slash. */
function commonFolder([first = "", ...others]: string[]): string {
  let folder = first.slice(0, first.lastIndexOf("/") + 1)
  while (folder !== "" && !others.every((name) => name.startsWith(folder))) {
    folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1)
  }
  return folder
}

/** `aws secretsmanager get-secret-value` and `batch-get-secret-value`, whose values are JSON again. */
export const readSecretsManager: Recognise = ([document]) => {
  const list = member(document, "SecretValues")
  const isOne = ["SecretString", "SecretBinary"].some((name) => member(document, name) !== undefined)
  const isDescribed = /^arn:aws[\w-]*:secretsmanager:/.test(textOf(member(document, "ARN")) ?? "")
  if (document === undefined || !(isOne || isDescribed || list?.kind === "list")) return undefined
  const found = nothingFound()
  for (const one of list === undefined ? [document] : itemsOf(list)) addSecret(found, one)
  const because = list === undefined ? (isOne ? "it has SecretString" : "its ARN says so") : "it has SecretValues"
  return { what: "AWS Secrets Manager secret", because, ...onlyOneSource(found) }
}

function addSecret(all: Found, secret: Tree): void {
  const binary = member(secret, "SecretBinary")
  const written = member(secret, "SecretString") ?? binary
  const line = written?.line ?? secret.line
  const fault = (reason: string) => all.faults.push({ line, reason })
  if (written === undefined) return void fault("it has no SecretString: run aws secretsmanager get-secret-value")
  const text = written === binary ? decodeBase64(textOf(binary) ?? "") : textOf(written)
  if (text === undefined) return void fault("its SecretBinary is not text")
  const inner = parseJsonTree(text).documents[0]
  const kind = written === binary ? "SecretBinary" : "SecretString"
  if (!isMap(inner)) return void fault(`its ${kind} is one value without a name`)
  const found = nothingFound()
  addMembers(found, membersOf(inner), { from: `secret ${textOf(member(secret, "Name")) ?? "?"}` })
  all.entries.push(...found.entries.map((entry) => ({ ...entry, line })))
  all.faults.push(...found.faults.map((one) => ({ ...one, line })))
}

/** `infisical export --format=json`, the API's answer, and its older forms. */
export const readInfisical: Recognise = ([document]) => {
  const secrets = document?.kind === "list" ? document.items : itemsOf(member(document, "secrets"))
  const [first] = secrets
  const found = nothingFound()
  if (member(first, "secretKey") !== undefined) {
    const imported = itemsOf(member(document, "imports")).flatMap((one) => itemsOf(member(one, "secrets")))
    const own = new Set(secrets.map((one) => textOf(member(one, "secretKey"))))
    // What a folder says itself wins over what it imports.
    const all = [...secrets, ...imported.filter((one) => !own.has(textOf(member(one, "secretKey"))))]
    addPairs(found, all, { name: "secretKey", value: "secretValue", note: "secretComment" })
    return { what: "Infisical export", because: "its items have secretKey", ...found }
  }
  const marks = ["workspace", "secretPath", "workspaceId", "secretMetadata", "skipMultilineEncoding"]
  const isMarked = marks.some((mark) => member(first, mark) !== undefined)
  const isTyped = /^(?:shared|personal)$/.test(textOf(member(first, "type")) ?? "")
  if (member(first, "key") === undefined || !(isMarked || isTyped)) return undefined
  addPairs(found, secrets, { name: "key", value: "value", note: "comment" })
  return { what: "Infisical export", because: "it is a list with key, value and the fields of Infisical", ...found }
}

/** The answer of Vercel's API. `vercel env pull` writes a .env file. */
export const readVercel: Recognise = ([document]) => {
  const envs = member(document, "envs") ?? (document?.kind === "list" ? document : undefined)
  const items = itemsOf(envs)
  if (!items.some((one) => member(one, "key") !== undefined && member(one, "target") !== undefined)) return undefined
  const found = nothingFound()
  for (const one of items) {
    const type = textOf(member(one, "type"))
    const name = textOf(member(one, "key")) ?? "a variable"
    const targets = targetsOf(one)
    if (type === "sensitive") {
      found.faults.push({ line: one.line, reason: `${name} is sensitive, and Vercel does not give out its value` })
    } else if ((type === "encrypted" || type === "secret") && textOf(member(one, "decrypted")) === "false") {
      found.faults.push({ line: one.line, reason: `the value of ${name} is encrypted: use vercel env pull` })
    } else
      addPairs(found, [one], { name: "key", value: "value", note: "comment" }, targets === "" ? {} : { from: targets })
  }
  return { what: "Vercel variables", because: "its items have key and target", ...onlyOneSource(found) }
}

function targetsOf(item: Tree): string {
  const target = member(item, "target")
  const targets = target?.kind === "list" ? target.items.map(textOf) : [textOf(target)]
  return targets.filter((one) => one !== undefined).join(", ")
}

/** `doppler secrets --json`, the API's answer, and `doppler secrets download`. */
export const readDoppler: Recognise = ([document]) => {
  const secrets = isMap(member(document, "secrets")) ? member(document, "secrets") : document
  const members = membersOf(secrets)
  const found = nothingFound()
  if (
    members.length > 0 &&
    members.every(({ value }) => member(value, "computed") !== undefined || member(value, "raw") !== undefined)
  ) {
    for (const { name, line, value } of members) {
      // The computed value has its references resolved.
      const text = textOf(member(value, "computed")) ?? textOf(member(value, "raw"))
      const description = textOf(member(value, "note"))
      if (text === undefined)
        found.faults.push({ line, reason: `${name} is restricted, and Doppler does not give out its value` })
      else found.entries.push({ line, name, value: text, ...(description && { description }) })
    }
    return { what: "Doppler secrets", because: "its values have raw and computed", ...found }
  }
  if (!["DOPPLER_PROJECT", "DOPPLER_CONFIG"].every((name) => member(document, name)?.kind === "text")) return undefined
  addMembers(found, members)
  return { what: "Doppler secrets", because: "it has DOPPLER_PROJECT and DOPPLER_CONFIG", ...found }
}

/** `vault kv get -format=json`, of both versions of the KV engine. */
export const readVault: Recognise = ([document]) => {
  const data = member(document, "data")
  const isVersion2 = isMap(member(data, "data")) && isMap(member(data, "metadata"))
  if (!isMap(data) || (!isVersion2 && member(document, "lease_id") === undefined)) return undefined
  const found = nothingFound()
  addMembers(found, membersOf(isVersion2 ? member(data, "data") : data))
  return {
    what: "HashiCorp Vault secret",
    because: isVersion2 ? "it has data.data and data.metadata" : "it has data and lease_id",
    ...found,
  }
}

/** The containers of an ECS task definition. */
export const readEcs: Recognise = ([document]) => {
  const definition = member(document, "taskDefinition") ?? document
  const containers = itemsOf(member(definition, "containerDefinitions"))
  if (containers.length === 0) return undefined
  const found = nothingFound()
  for (const one of containers) {
    const from = `container ${textOf(member(one, "name")) ?? "?"}`
    addPairs(found, itemsOf(member(one, "environment")), { name: "name", value: "value" }, { from })
    for (const secret of itemsOf(member(one, "secrets"))) {
      found.faults.push({
        line: secret.line,
        reason: `the value of ${textOf(member(secret, "name"))} is kept elsewhere (valueFrom)`,
      })
    }
  }
  return { what: "ECS task definition", because: "it has containerDefinitions", ...onlyOneSource(found) }
}

/** Files that SOPS encrypted keep their names and have a member `sops`. */
export const readSops: Recognise = (documents) => {
  const isSops = documents.some((one) => member(member(one, "sops"), "mac") !== undefined)
  if (!isSops) return undefined
  return refused(
    "SOPS file",
    "it has sops with a mac",
    "This file was encrypted by SOPS. Run sops decrypt, and import the result",
  )
}

const pairKeys = [
  { name: "name", value: "value" },
  { name: "key", value: "value" },
  { name: "Name", value: "Value" },
  { name: "Key", value: "Value" },
  { name: "label", value: "value" },
]

/** A list of names and values, as GitLab, Azure, Render and others write it. */
export const readPairs: Recognise = ([document]) => {
  const lists = [document, ...membersOf(document).map(({ value }) => value)].filter((one) => one?.kind === "list")
  for (const list of lists) {
    const items = itemsOf(list).map((item) => member(item, "envVar") ?? item)
    const keys = pairKeys.find(({ name, value }) => {
      return items.some((item) => textOf(member(item, name)) !== undefined && member(item, value) !== undefined)
    })
    if (keys === undefined) continue
    const found = nothingFound()
    const note = ["description", "comment", "note"].find((one) =>
      items.some((item) => textOf(member(item, one)) !== undefined),
    )
    addPairs(found, items, { ...keys, ...(note !== undefined && { note }) })
    return { what: "List of variables", because: `its items have ${keys.name} and ${keys.value}`, ...found }
  }
  return undefined
}

/** A list of "NAME=value" texts. */
export const readAssignments: Recognise = ([document]) => {
  const items = itemsOf(document)
  if (!items.some((item) => textOf(item)?.includes("="))) return undefined
  const found = nothingFound()
  addAssignments(found, items, "it is not a NAME=value text")
  return { what: "List of variables", because: "its items are NAME=value", ...found }
}

/** One object of names and values, as Heroku, Netlify and most others write it. It is called by its syntax. */
export const readFlatMap: Recognise = (documents) => {
  const maps = documents.filter(isMap)
  if (maps.length === 0) return undefined
  const found = nothingFound()
  for (const one of maps) addMembers(found, membersOf(one))
  return { what: "", because: "it is one object with a value for each name", ...found }
}
