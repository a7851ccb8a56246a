import { expect, test } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { z } from "zod"
import { hostile, read, world } from "./world.ts"

const duration = z.string().regex(/^(\d+h)?(\d+m)?(\d+s)?$/)
const named = z.strictObject({ name: z.string() })

/** The fields of the operator's definitions that we use, and no others: a misspelled one is refused. */
const SecretStore = z.strictObject({
  apiVersion: z.literal("external-secrets.io/v1"),
  kind: z.literal("SecretStore"),
  metadata: named,
  spec: z.strictObject({
    provider: z.strictObject({
      webhook: z.strictObject({
        url: z.url(),
        method: z.literal("GET"),
        timeout: duration,
        headers: z.record(z.string(), z.string()),
        result: z.strictObject({ jsonPath: z.string() }),
        secrets: z.array(z.strictObject({ name: z.string(), secretRef: named })),
      }),
    }),
  }),
})
const ExternalSecret = z.strictObject({
  apiVersion: z.literal("external-secrets.io/v1"),
  kind: z.literal("ExternalSecret"),
  metadata: named,
  spec: z.strictObject({
    refreshInterval: duration,
    secretStoreRef: z.strictObject({ kind: z.literal("SecretStore"), name: z.string() }),
    target: z.strictObject({
      name: z.string(),
      creationPolicy: z.enum(["Owner", "Orphan", "Merge", "None"]),
      deletionPolicy: z.enum(["Delete", "Merge", "Retain"]),
    }),
    dataFrom: z.array(z.strictObject({ extract: z.strictObject({ key: z.string() }) })),
  }),
})

test("External Secrets Operator's request, made from the manifest, gets all variables from the real server", async () => {
  const { url, key, ann, keyId } = await world()
  const [first, second] = parseAllDocuments(await read("kubernetes/external-secrets.yaml")).map((one) => one.toJS())
  const store = SecretStore.parse(first)
  const external = ExternalSecret.parse(second)
  expect(external.spec.secretStoreRef.name).toBe(store.metadata.name)
  const { webhook } = store.spec.provider
  const [secret] = webhook.secrets
  const data: Record<string, Record<string, string>> = { [secret?.name ?? ""]: { key } }
  const request = () =>
    fetch(url + new URL(webhook.url).pathname, {
      method: webhook.method,
      headers: Object.fromEntries(Object.entries(webhook.headers).map(([name, text]) => [name, filledIn(text, data)])),
    })

  const answer = await request()
  expect(answer.status).toBe(200)
  expect(atPath(webhook.result.jsonPath, await answer.json())).toEqual(hostile)
  await ann.delete(`/api-key/${keyId}`)
  // The operator takes a 404 for a secret that was deleted. This must be a failure, so that the Secret stays.
  expect((await request()).status).toBe(401)
})

/** Go's templates, as far as the manifest uses them. */
function filledIn(text: string, data: Record<string, Record<string, string>>): string {
  return text.replace(/\{\{ \.(\w+)\.(\w+) \}\}/g, (_, name: string, field: string) => {
    const found = data[name]?.[field]
    if (found === undefined) throw new Error(`nothing for ${name}.${field}`)
    return found
  })
}

/** JSONPath, as far as it has a root and names. */
function atPath(path: string, data: unknown): unknown {
  expect(path).toMatch(/^\$(\.\w+)*$/)
  return path
    .split(".")
    .slice(1)
    .reduce((inside, name) => (inside as Record<string, unknown>)[name], data)
}

test("the compose file mounts the entrypoint and its secret, and has no key in it", async () => {
  const text = await read("docker/compose.yaml")
  const { services, secrets } = parse(text)
  const { app } = services
  expect(app.volumes[0].split(":").slice(0, 2)).toEqual(["./entrypoint.sh", app.entrypoint[0]])
  expect(app.environment.ENVKEEP_KEY_FILE).toBe(`/run/secrets/${app.secrets[0]}`)
  expect(secrets[app.secrets[0]].file).toBe("./envkeep-key.txt")
  expect(text).not.toMatch(/ek_/)
})

test("the Terraform file is balanced, names its key as sensitive and fails on any other status", async () => {
  const text = await read("terraform/main.tf")
  for (const [open, close] of ["{}", "()", "[]"].map((pair) => [...pair])) {
    expect(text.split(String(open)).length).toBe(text.split(String(close)).length)
  }
  expect(text).toMatch(/variable "envkeep_key" \{\n {2}type += string\n {2}sensitive = true/)
  expect(text).toMatch(/condition +=\s*self\.status_code == 200/)
})
