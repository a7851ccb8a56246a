import { randomUUID } from "node:crypto"
import { join } from "node:path"
import type { CreatedToken, Scope } from "@envkeep/contract"
import { recordLines } from "@envkeep/testing/leaks.ts"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { run, world } from "../../test/world.ts"
import { allowedCalls } from "../src/api.ts"

const program = join(import.meta.dirname, "../dist/envkeep-mcp.js")
const command = process.execPath

/** A collection with a base, an heir and another environment. Each value is a text that is nowhere else. */
async function shop() {
  const made = await world({ DATABASE_URL: `marked-${randomUUID()}`, OLD: `marked-${randomUUID()}` })
  const { ann, environment } = made
  const collectionId = environment.collectionId
  const staging = await ann.environment("staging", collectionId)
  await ann.put(`/environments/${staging.id}/base`, { baseId: environment.id })
  const test = await ann.environment("test", collectionId)
  const port = await ann.item(test, "PORT", `marked-${randomUUID()}`)
  await ann.put(`/collectionItem/${port.id}`, { name: "PORT", value: `marked-${randomUUID()}`, note: "a new port" })
  await ann.item(staging, "DEBUG", `marked-${randomUUID()}`)
  await ann.put(`/collections/${collectionId}/names`, {
    name: "DATABASE_URL",
    description: "Where the orders are",
    kind: "url",
    isRequired: true,
    example: "postgres://localhost/shop",
  })
  await ann.put(`/collections/${collectionId}/names`, { name: "SENTRY_DSN", isRequired: true })
  return { ...made, collectionId, staging, test }
}

async function connected({ url, ann }: Awaited<ReturnType<typeof shop>>, scope: Scope) {
  const { token } = (await ann.post<CreatedToken>("/users/me/tokens", { name: "agent", scope })).body.data
  return connect({ ENVKEEP_URL: url, ENVKEEP_TOKEN: token })
}

/** Starts the program as an agent does. `received` has all that it wrote, on both of its outputs. */
async function connect(env: Record<string, string>) {
  const transport = new StdioClientTransport({ command, args: [program], env, stderr: "pipe" })
  const received: string[] = []
  transport.stderr?.on("data", recordLines("standard error of the MCP server"))
  transport.stderr?.on("data", (piece) => void received.push(String(piece)))
  const client = new Client({ name: "test", version: "1" })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const hear = transport.onmessage
  transport.onmessage = (message) => {
    received.push(JSON.stringify(message))
    hear?.(message)
  }
  const callTool = async (name: string, input: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: input })
    const [first] = content as { text: string }[]
    return { isError: isError === true, text: first?.text ?? "" }
  }
  const answer = async (name: string, input: Record<string, unknown> = {}) => {
    const { isError, text } = await callTool(name, input)
    expect([name, isError, isError ? text : ""]).toEqual([name, false, ""])
    return JSON.parse(text)
  }
  return { client, received, callTool, answer }
}

test.each(["names", "manage"] as const)(
  "an agent with a token of the scope %s gets names, and no value",
  async (scope) => {
    const made = await shop()
    const { collectionId, environment, staging, test: third } = made
    const { client, received, answer } = await connected(made, scope)

    const { tools } = await client.listTools()
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    expect(await answer("list_collections")).toMatchObject({
      total: 1,
      rows: [{ id: collectionId, environments: [{ name: "production" }, { name: "staging" }, { name: "test" }] }],
    })
    expect(await answer("list_environments", { collectionId })).toMatchObject([
      { id: environment.id, ownNames: 2, inheritedNames: 0 },
      { id: staging.id, ownNames: 1, inheritedNames: 2, baseId: environment.id },
      { id: third.id, ownNames: 1, inheritedNames: 0 },
    ])
    const { rows } = await answer("list_names", { collectionId })
    expect(rows.map(({ name }: { name: string }) => name)).toEqual([
      "DATABASE_URL",
      "DEBUG",
      "OLD",
      "PORT",
      "SENTRY_DSN",
    ])
    expect(rows[0]).toMatchObject({
      description: "Where the orders are",
      kind: "url",
      isRequired: true,
      lacks: ["test"],
    })
    expect(await answer("list_names", { collectionId, contains: "sentry" })).toMatchObject({ total: 1, isWhole: true })
    expect(await answer("list_names", { collectionId, offset: 4 })).toMatchObject({ rows: [{ name: "SENTRY_DSN" }] })
    const missing = await answer("find_missing", { collectionId })
    expect(missing.rows.slice(0, 3)).toEqual([
      { name: "DATABASE_URL", isRequired: true, has: ["production", "staging"], lacks: ["test"] },
      { name: "SENTRY_DSN", isRequired: true, has: [], lacks: ["production", "staging", "test"] },
      { name: "DEBUG", isRequired: false, has: ["staging"], lacks: ["production", "test"] },
    ])
    const two = { firstEnvironmentId: staging.id, secondEnvironmentId: third.id }
    expect(await answer("compare_environments", { collectionId, ...two })).toMatchObject({
      onlyInFirst: { rows: ["DATABASE_URL", "DEBUG", "OLD"] },
      onlyInSecond: { rows: ["PORT"] },
      inBoth: { total: 0 },
    })
    expect(await answer("compare_environments", { collectionId, ...two, contains: "d", offset: 1 })).toEqual({
      onlyInFirst: { total: 3, rows: ["DEBUG", "OLD"], isWhole: true },
      onlyInSecond: { total: 0, rows: [], isWhole: true },
      inBoth: { total: 0, rows: [], isWhole: true },
    })
    expect(await answer("environment_history", { environmentId: third.id })).toMatchObject({
      revisions: [{ number: 3, note: "a new port", names: [{ name: "PORT" }] }, { number: 2 }, { number: 1 }],
    })
    expect(await answer("name_history", { environmentId: third.id, name: "PORT" })).toMatchObject({
      changes: [{ revision: 3, by: "someone", isRemoved: false }, { revision: 2 }],
      isWhole: true,
    })
    expect(received.length).toBeGreaterThan(9)
    expect(received.join("\n")).not.toContain("marked-")
    // The same search finds what the program was not given.
    expect(JSON.stringify(await made.ann.itemsOf(environment))).toContain("marked-")
  },
)

test("none of the calls that it may make has a field for a value or a key", () => {
  const fields = new Set<string>()
  JSON.stringify(
    Object.values(allowedCalls).map(({ output }) => z.toJSONSchema(output)),
    (field, inside) => {
      fields.add(field)
      return inside
    },
  )
  expect(fields).toContain("isRequired")
  for (const secret of ["value", "key", "token", "text", "before", "after", "collectionItems", "apiKeys"]) {
    expect(fields).not.toContain(secret)
  }
})

test("what goes wrong is a tool error in one sentence, and the next call works", async () => {
  const made = await shop()
  const { callTool, answer } = await connected(made, "names")
  expect(await callTool("list_names", { collectionId: 987_654 })).toEqual({
    isError: true,
    text: `${made.url} says: Collection not found`,
  })
  const twice = { firstEnvironmentId: made.staging.id, secondEnvironmentId: 987_654 }
  expect(await callTool("compare_environments", { collectionId: made.collectionId, ...twice })).toEqual({
    isError: true,
    text: "Environment 987654 is not in this collection",
  })
  expect((await callTool("list_names", { collectionId: "x" })).isError).toBe(true)
  expect(await answer("list_collections", { contains: "no such" })).toMatchObject({ total: 0 })

  const [{ id }] = (await made.ann.get<{ id: number }[]>("/users/me/tokens")).body.data as [{ id: number }]
  await made.ann.delete(`/users/me/tokens/${id}`)
  expect(await callTool("list_collections")).toEqual({
    isError: true,
    text: `${made.url} refuses the token: it was revoked, has expired, or belongs to another server`,
  })
  const away = await connect({ ENVKEEP_URL: "http://127.0.0.1:9", ENVKEEP_TOKEN: "ept_any" })
  expect(await away.callTool("list_collections")).toEqual({
    isError: true,
    text: "http://127.0.0.1:9 cannot be reached",
  })
})

test.each([
  [{}, "no server given: set ENVKEEP_URL"],
  [{ ENVKEEP_URL: "example.com" }, "ENVKEEP_URL must start with http:// or https://"],
  [
    { ENVKEEP_URL: "https://example.com" },
    "no token given: make a personal token of the scope names, and set ENVKEEP_TOKEN",
  ],
  [
    { ENVKEEP_URL: "https://example.com", ENVKEEP_TOKEN: "ek_abc" },
    "ENVKEEP_TOKEN is an API key, which reads values: make a personal token of the scope names",
  ],
  [
    { ENVKEEP_URL: "https://example.com", ENVKEEP_TOKEN: "abc" },
    "ENVKEEP_TOKEN is not a personal token: it starts with ept_",
  ],
])("it does not start with the settings %o", async (env, message) => {
  expect(await run([command, program], { env: env as Record<string, string> })).toEqual({
    code: 2,
    out: "",
    err: `envkeep-mcp: ${message}\n`,
  })
})
