import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sentences } from "@envkeep/contract"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { startMailServer } from "@envkeep/testing/mail-server.ts"
import { publicUrl, settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startRealProvider } from "@envkeep/testing/oidc/real-provider.ts"
import { run } from "@envkeep/testing/process.ts"
import { afterAll, expect, onTestFinished, test, vi } from "vitest"
import { bundleServer } from "./bundle-server.ts"

// What the built server loads when it starts, and what only when it is first used. See decision 033.

/**
 * Every package of a plain start, with what they need. Some have others inside, and those count too. A new one costs memory
 * and time at each start: is it worth that?
 */
const packagesOfStart = new Set([
  "@fastify/accept-negotiator",
  "@fastify/ajv-compiler",
  "@fastify/cookie",
  "@fastify/deepmerge",
  "@fastify/error",
  "@fastify/fast-json-stringify-compiler",
  "@fastify/forwarded",
  "@fastify/merge-json-schemas",
  "@fastify/proxy-addr",
  "@fastify/send",
  "@fastify/static",
  "@isaacs/nonrecursive-glob-match",
  "@lukeed/ms",
  "@node-rs/argon2",
  "@pinojs/redact",
  "abstract-logging",
  "ajv",
  "ajv-formats",
  "atomic-sleep",
  "avvio",
  "balanced-match",
  "brace-expansion",
  "content-disposition",
  "cookie",
  "depd",
  "dequal",
  "escape-html",
  "fast-decode-uri-component",
  "fast-deep-equal",
  "fast-json-stringify",
  "fast-querystring",
  "fast-uri",
  "fastify",
  "fastify-plugin",
  "fastq",
  "find-my-way",
  "glob",
  "http-errors",
  "inherits",
  "ipaddr.js",
  "json-schema-ref-resolver",
  "json-schema-traverse",
  "kysely",
  "light-my-request",
  "lru-cache",
  "mime",
  "minimatch",
  "minipass",
  "on-exit-leak-free",
  "path-scurry",
  "pino",
  "pino-std-serializers",
  "process-warning",
  "quick-format-unescaped",
  "ret",
  "reusify",
  "rfdc",
  "safe-regex2",
  "safe-stable-stringify",
  "secure-json-parse",
  "semver",
  "set-cookie-parser",
  "setprototypeof",
  "sonic-boom",
  "statuses",
  "thread-stream",
  "toad-cache",
  "toidentifier",
  "zod",
])

/** What of our own files and of others is loaded when a feature is first used. */
const features = {
  passwords: "/node_modules/@zxcvbn-ts/language-common/",
  passkeys: "/node_modules/@simplewebauthn/server/",
  providers: "/node_modules/openid-client/",
  mail: "/node_modules/nodemailer/",
  page: "/server/dist/docs-page-",
  document: "/server/dist/openapi-",
}

// In this folder, because the packages are found from there.
const cache = join(import.meta.dirname, "../node_modules/.cache")
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, "envkeep-first-use-"))
afterAll(() => rmSync(folder, { recursive: true }))
await bundleServer(join(folder, "server/dist"))

/** The built server, with what it has loaded so far. The first try to load what has one of these in its name fails. */
async function builtServer({ env = {}, failOnce = [] }: { env?: Record<string, string>; failOnce?: string[] } = {}) {
  const location = { ...(await newStoreLocation()), databaseUrl: undefined }
  const record = join(location.dataDir, "loaded")
  const server = run(location, {
    main: join(folder, "server/dist/main.js"),
    env: {
      ...env,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, "record-loading.ts")}`,
      RECORD_LOADING: record,
      FAIL_ONCE: failOnce.join(","),
    },
  })
  const url = await server.url()
  const send = (path: string, body?: object) =>
    fetch(`${url}/api${path}`, {
      redirect: "manual",
      ...(body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    })
  return { ...server, send, loaded: () => readFileSync(record, "utf8").trim().split("\n") }
}

type Built = Awaited<ReturnType<typeof builtServer>>

function featuresIn({ loaded }: Built): string[] {
  const all = loaded()
  return Object.entries(features).flatMap(([name, part]) => (all.some((url) => url.includes(part)) ? [name] : []))
}

/** What a built file is made of: most packages of a start are in it. */
function sourcesOf(url: string): string[] {
  if (!url.includes(folder)) return [url]
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(fileURLToPath(`${url}.map`), "utf8"))
  return sources.map((source) => new URL(source, url).pathname)
}

/** With a mail server and a provider of sign-ins, which are there but not used at the start. */
async function builtServerWithAll(failOnce: string[] = []) {
  const provider = await startRealProvider({})
  onTestFinished(() => provider.close())
  const mailServer = await startMailServer()
  onTestFinished(() => mailServer.close())
  const env = { ...settingsFor(provider.issuer), SMTP_URL: mailServer.url, PUBLIC_URL: publicUrl }
  return { server: await builtServer({ env, failOnce }), provider, mailServer }
}

const account = (name: string, password: string) => ({
  username: name,
  email: `${name}@example.com`,
  password,
  password2: password,
})
const uncommon = "correct horse battery staple"

test("a plain start loads these packages and no others", async () => {
  const server = await builtServer()
  const packages = server
    .loaded()
    .flatMap(sourcesOf)
    .filter((path) => !path.includes(folder))
    .flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
  const ofThisMachine = /^@node-rs\/argon2-/
  const unexpected = packages.filter((one) => !packagesOfStart.has(one) && !ofThisMachine.test(one))
  expect(packages.length).toBeGreaterThan(packagesOfStart.size)
  expect([...new Set(unexpected)]).toEqual([])
  expect(featuresIn(server)).toEqual([])
})

test("each feature is loaded when it is first used, and once, however many use it at the same time", async () => {
  const { server, provider, mailServer } = await builtServerWithAll()
  const { send } = server
  expect(featuresIn(server)).toEqual([])
  const used: string[] = []
  const isLoadedBy = async (feature: keyof typeof features, use: () => Promise<unknown>) => {
    await use()
    used.push(feature)
    expect(featuresIn(server).toSorted()).toEqual(used.toSorted())
  }
  const together = (use: () => Promise<Response>) => Promise.all([use(), use(), use()])

  await isLoadedBy("passwords", async () => {
    const [ann, bob] = await Promise.all([
      send("/users/register", account("ann", uncommon)),
      send("/users/register", account("bob", "password123")),
    ])
    expect([ann.status, bob.status]).toEqual([201, 400])
    expect(await bob.json()).toMatchObject({ error: true, msg: sentences.passwordCommon })
  })
  await isLoadedBy("passkeys", async () => {
    for (const answer of await together(() => send("/users/login/passkey/begin", {}))) {
      expect(await answer.json()).toMatchObject({ error: false, data: { rpId: "localhost" } })
    }
  })
  await isLoadedBy("providers", async () => {
    for (const answer of await together(() => send("/sign-in/acme"))) {
      expect([answer.status, answer.headers.get("location")]).toEqual([
        302,
        expect.stringMatching(`^${provider.issuer}/auth\\?`),
      ])
    }
  })
  await isLoadedBy("mail", async () => {
    expect((await send("/users/password/forgot", { email: "ann@example.com" })).status).toBe(200)
    await mailServer.until(1)
    expect(mailServer.received).toMatchObject([{ to: "ann@example.com" }])
  })
  await isLoadedBy("page", async () => {
    for (const answer of await together(() => send("/docs"))) expect(await answer.text()).toContain("<h1>API</h1>")
  })
  await isLoadedBy("document", async () => {
    for (const answer of await together(() => send("/openapi.json"))) {
      expect(await answer.json()).toMatchObject({ openapi: "3.1.0" })
    }
  })

  const files = server.loaded().filter((url) => url.startsWith("file:"))
  expect(new Set(files).size).toBe(files.length)
})

test("what cannot be loaded is named in the log as a fault of ours, and the next use tries again", async () => {
  const { server, mailServer } = await builtServerWithAll(Object.values(features))
  const { send } = server
  const register = () => send("/users/register", account("ann", uncommon))
  const uses: (() => Promise<Response>)[] = [
    register,
    () => send("/users/login/passkey/begin", {}),
    () => send("/docs"),
    () => send("/openapi.json"),
  ]
  for (const use of uses) expect((await use()).status).toBe(500)
  for (const use of uses) expect((await use()).ok).toBe(true)

  expect((await send("/sign-in/acme")).headers.get("location")).toBe("/login?problem=failed")
  expect((await send("/sign-in/acme")).headers.get("location")).toMatch(/^http/)

  expect((await send("/users/password/forgot", { email: "ann@example.com" })).status).toBe(200)
  const warning = () => server.output.out.split("\n").find((line) => line.includes("could not send mails"))
  await vi.waitFor(() => expect(warning()).toContain(`${features.mail} cannot be loaded`), eventually)
  expect(mailServer.received).toEqual([])
  for (const part of Object.values(features)) expect(server.output.out).toContain(`${part} cannot be loaded`)
})
