import { randomBytes, randomUUID } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { engine, newStoreLocation, type StoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { createStringSearch } from "@envkeep/testing/string-search.ts"
import pg from "pg"
import { expect } from "vitest"

// What an attacker gets by copying the disk or the database. Every byte is searched for every secret in every encoding.

// The server starts three times and syncs some fifty writes to the disk, which takes long on a busy machine.
testOnce(
  "no secret is on the disk, even overwritten or deleted: not while the server runs, after a crash or after a stop",
  async () => {
    const location = await newStoreLocation()
    const rootKey = randomBytes(32)
    const adminPassword = randomUUID()
    const env = {
      ENVKEEP_ROOT_KEY: rootKey.toString("base64"),
      ENVKEEP_ADMIN_EMAIL: "boss@example.com",
      ENVKEEP_ADMIN_PASSWORD: adminPassword,
    }
    const first = run(location, { env })
    const secrets = [rootKey, Buffer.from(adminPassword), ...(await useEverything(await first.url())).flatMap(bytesOf)]
    expect(await findEncoded(location, [Buffer.from("SEARCHED_FOR_BY_NAME")])).not.toEqual([])
    expect(await findEncoded(location, secrets)).toEqual([])

    first.child.kill("SIGKILL")
    await first.ended
    if (engine === "sqlite") expect(await readdir(location.dataDir)).toContain("envkeep.db-wal")
    expect(await findEncoded(location, secrets)).toEqual([])

    const second = run(location, { env })
    await second.url()
    second.child.kill("SIGTERM")
    await second.ended
    expect(await findEncoded(location, secrets)).toEqual([])
    expect(await readdir(location.dataDir)).not.toContain("root.key")
  },
)

testOnce("a root key created at the first start is only in its own file", async () => {
  const location = await newStoreLocation()
  const server = run(location)
  await useEverything(await server.url())
  server.child.kill("SIGKILL")
  await server.ended
  const rootKey = Buffer.from((await readFile(join(location.dataDir, "root.key"), "utf8")).trim(), "hex")
  expect(rootKey).toHaveLength(32)
  const where = (await findEncoded(location, [rootKey])).map(({ where }) => where)
  expect(where).toEqual(["root.key"])
})

/** Creates every kind of secret, through every call that takes or returns one. Returns all of them. */
async function useEverything(url: string): Promise<string[]> {
  const secrets: string[] = []
  const secret = () => {
    const value = `${randomUUID()} 🗝 ${randomUUID()}`
    secrets.push(value)
    return value
  }
  let cookies: string[] = []
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { cookie: cookies.join("; "), ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const given = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "")
    if (given.length > 0) cookies = given
    secrets.push(...given.map((cookie) => cookie.slice(cookie.indexOf("=") + 1)).filter(Boolean))
    return ((await response.json()) as { data: { id: number; key: string } }).data
  }

  const [password, next, email] = [secret(), secret(), "ann@example.com"]
  await call("POST", "/users/register", { username: "ann", email, password, password2: password })
  await call("POST", "/users/login", { email, password: secret() })
  await call("POST", "/users/login", { email, password })
  await call("PUT", "/users/password", { oldPassword: password, password: next, password2: next })
  const collection = await call("POST", "/collection", { name: "app" })
  const { id } = await call("POST", "/subcollection", { name: "production", collectionId: collection.id })
  const keys = [
    await call("POST", "/api-key", { name: "kept", subCollectionId: id }),
    await call("POST", "/api-key", { name: "deleted", subCollectionId: id }),
  ]
  secrets.push(...keys.map(({ key }) => key))
  const item = (name: string) => call("POST", "/collectionItem", { name, value: secret(), subCollectionId: id })
  await item("SEARCHED_FOR_BY_NAME")
  const [changed, deleted] = [await item("CHANGED"), await item("DELETED")]
  await call("PUT", `/collectionItem/${changed.id}`, { name: "CHANGED", value: secret() })
  await call("DELETE", `/collectionItem/${deleted.id}`)
  for (let save = 0; save < 2; save++) {
    const items = Array.from({ length: 20 }, (_, n) => ({ name: `BULK${n}`, value: secret() }))
    await call("POST", `/subcollection/${id}/bulk`, [{ name: "SEARCHED_FOR_BY_NAME", value: secret() }, ...items])
  }
  await fetch(`${url}/api/v1/variables`, { headers: { authorization: `Bearer ${keys[0]?.key}` } })
  await call("DELETE", `/api-key/${keys[1]?.id}`)
  await call("POST", "/users/logout")
  await call("POST", "/users/login", { email, password: next })
  expect(secrets.length).toBeGreaterThan(55)
  return secrets
}

/** A token is base64url of random bytes. The bytes themselves must not be stored either. */
function bytesOf(secret: string): Buffer[] {
  const isToken = /^[\w-]{43}$/.test(secret)
  return isToken ? [Buffer.from(secret), Buffer.from(secret, "base64url")] : [Buffer.from(secret)]
}

interface Found {
  where: string
  encoding: string
}

async function findEncoded(location: StoreLocation, secrets: Buffer[]): Promise<Found[]> {
  const search = createStringSearch<string>()
  for (const secret of secrets) for (const [encoding, encoded] of encodings(secret)) search.add(encoded, encoding)
  return (await storedBytes(location)).flatMap(({ where, bytes }) => {
    const found = search.findIn(bytes.toString("latin1")).map(({ tag }) => tag)
    return [...new Set(found)].map((encoding) => ({ where, encoding }))
  })
}

function encodings(secret: Buffer): [string, string][] {
  const wide = Buffer.from(secret.toString("utf8"), "utf16le").toString("latin1")
  // In a longer text, base64 depends on the offset of the secret, and its first and last characters on what is around it.
  const base64 = [0, 1, 2].flatMap((before): [string, string][] => {
    const encoded = Buffer.concat([Buffer.alloc(before), secret])
      .toString("base64")
      .replace(/=+$/, "")
      .slice(4, -1)
    return [
      ["base64", encoded],
      ["base64url", encoded.replaceAll("+", "-").replaceAll("/", "_")],
    ]
  })
  return [
    ["plain", secret.toString("latin1")],
    ["utf16", wide],
    ["hex", secret.toString("hex")],
    ["hex", secret.toString("hex").toUpperCase()],
    ["JSON", JSON.stringify(secret.toString("utf8")).slice(1, -1)],
    ["URL", encodeURIComponent(secret.toString("utf8"))],
    ...base64,
  ]
}

/** The bytes of each file in the data folder and of each table in the database. */
async function storedBytes({ dataDir, databaseUrl }: StoreLocation): Promise<{ where: string; bytes: Buffer }[]> {
  const names = await readdir(dataDir, { recursive: true })
  const files = await Promise.all(names.map(async (where) => ({ where, bytes: await readFile(join(dataDir, where)) })))
  if (databaseUrl === undefined) return files

  const client = new pg.Client(databaseUrl)
  await client.connect()
  const tables = await client.query<{ name: string }>(
    "select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  )
  for (const { name } of tables.rows) {
    const { rows } = await client.query<unknown[]>({ text: `select * from ${name}`, rowMode: "array" })
    const cells = rows.flat().map((cell) => (cell instanceof Uint8Array ? cell : Buffer.from(String(cell))))
    files.push({ where: name, bytes: Buffer.concat(cells) })
  }
  await client.end()
  expect(tables.rows.length).toBeGreaterThan(5)
  return files
}
