import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { loginWorld } from "./login-world.ts"
import { strangeServer } from "./strange-server.ts"

/** A folder whose `.envkeep.json` names another server, as the commit of a stranger could. */
async function misledWorld() {
  const made = await loginWorld()
  const received: string[] = []
  const otherUrl = await strangeServer((request, response) => {
    received.push(request.headers.authorization ?? "")
    response.writeHead(404).end("{}")
  })
  const name = (server: string) =>
    writeFile(
      join(made.cwd, ".envkeep.json"),
      JSON.stringify({
        server,
        collection: { id: made.environment.collectionId, name: "app" },
        environment: { id: made.environment.id, name: "production" },
      }),
    )
  await name(otherUrl)
  return { ...made, otherUrl, received, name }
}

test("a token of the environment is not sent to the server of .envkeep.json if ENVKEEP_URL says another one", async () => {
  const { run, url, otherUrl, received } = await misledWorld()
  const err =
    `envkeep: .envkeep.json says ${otherUrl}, but ENVKEEP_URL says ${url}: ENVKEEP_TOKEN was sent to neither\n` +
    `hint: add --server ${url}, or set ENVKEEP_URL to ${otherUrl} if you trust it\n`
  for (const args of [["get", "A"], ["list"], ["whoami"], ["set", "A=2", "--yes"], ["print"], ["open"]]) {
    expect(await run(args)).toEqual({ code: 1, out: "", err })
  }
  expect(await run(["diff", "rev:1"])).toEqual({ code: 2, out: "", err })
  expect(await run(["__complete", "list", "-c", ""])).toEqual({ code: 0, out: "", err: "" })
  expect(received).toEqual([])

  expect(await run(["get", "A", "--server", url])).toEqual({ code: 0, out: "1", err: "" })
})

test("a token of the environment is not sent to a server that only .envkeep.json names", async () => {
  const { run, otherUrl, received } = await misledWorld()
  const err =
    `envkeep: only .envkeep.json says ${otherUrl}: ENVKEEP_TOKEN was not sent there\n` +
    `hint: set ENVKEEP_URL to ${otherUrl}, or add --server ${otherUrl}, if you trust it\n`
  for (const args of [["get", "A"], ["list"], ["whoami"], ["set", "A=2", "--yes"], ["print"], ["open"]]) {
    expect(await run(args, { env: { ENVKEEP_URL: "" } })).toEqual({ code: 1, out: "", err })
  }
  expect(received).toEqual([])
})

test("the server of .envkeep.json is used if ENVKEEP_URL, --server or a login says the same", async () => {
  const { run, cwd, url, token, otherUrl, received, name } = await misledWorld()
  await run(["get", "A", "--server", otherUrl], { env: { ENVKEEP_URL: "" } })
  expect(received).toEqual([`Bearer ${token}`])
  await name(`${url}/`)
  const places = { ENVKEEP_COLLECTION: "", ENVKEEP_ENVIRONMENT: "" }
  expect((await run(["get", "A"], { env: places })).out).toBe("1")

  const folder = join(cwd, "config", "envkeep")
  await mkdir(folder, { recursive: true })
  const logins = [{ url, token: "ept_of_the_login", username: "ann" }]
  await writeFile(join(folder, "logins.json"), JSON.stringify({ logins }), { mode: 0o600 })
  const loggedIn = { ...places, ENVKEEP_URL: "", XDG_CONFIG_HOME: join(cwd, "config") }
  expect(await run(["get", "A"], { env: loggedIn })).toEqual({ code: 0, out: "1", err: "" })
})

test("an address with a user in it, which hides whose server it is, is refused", async () => {
  const { run, url, otherUrl, received, name } = await misledWorld()
  const address = otherUrl.replace("http://", "http://env.example.com@")
  const err =
    "envkeep: the server's address cannot have a user in it\nhint: run envkeep --help for the commands and options\n"
  const refused = { code: 2, out: "", err }
  await name(address)
  expect(await run(["get", "A"])).toEqual(refused)
  await name(otherUrl)
  expect(await run(["get", "A", "--server", address])).toEqual(refused)
  expect(await run(["get", "A", "--server", url])).toEqual({ code: 0, out: "1", err: "" })
  expect(received).toEqual([])
})

test("a key goes to the server of --server, or else of ENVKEEP_URL, and never to that of .envkeep.json", async () => {
  const { run, url, key, otherUrl, received } = await misledWorld()
  for (const args of [["print", "--format", "raw"], ["check"], ["run", "--", "echo", "started"]]) {
    const byOption = [args[0] ?? "", "--server", url, ...args.slice(1)]
    const answer = await run(byOption, { env: { ENVKEEP_KEY: key, ENVKEEP_URL: otherUrl } })
    expect(answer).toMatchObject({ code: 0, err: "" })
    expect(await run(args, { env: { ENVKEEP_KEY: key } })).toEqual(answer)
  }
  expect(received).toEqual([])
  const other = await run(["print", "--server", otherUrl], { env: { ENVKEEP_KEY: key } })
  expect(other).toMatchObject({ code: 1, err: `envkeep: the server at ${otherUrl} answered with status 404\n` })
  const misuse = await run(["print", "--server", ""], { env: { ENVKEEP_KEY: key } })
  expect(misuse).toMatchObject({ code: 2, err: expect.stringContaining("must start with http:// or https://") })
})

test("init replaces a file that is damaged, after a question", async () => {
  const { run, url, cwd, name } = await misledWorld()
  await name(url)
  const file = join(cwd, ".envkeep.json")
  await writeFile(file, '<<<<<<< HEAD\n{ "server"')
  const init = ["init", "-c", "app", "-e", "production"]
  expect(await run(init)).toMatchObject({ code: 1, err: expect.stringContaining("there is no terminal to ask in") })
  expect(await run([...init, "--yes"])).toEqual({
    code: 0,
    out: "",
    err: `envkeep: wrote .envkeep.json: app/production of ${url}\n`,
  })
  expect((await run(["get", "A"])).out).toBe("1")
})

test("a collection whose name is the id of another one is not taken for it", async () => {
  const { run, environment, ann, user } = await loginWorld()
  const bob = await user()
  const [id, environmentId] = [String(environment.collectionId), String(environment.id)]
  const trap = await bob.collection(id)
  await bob.environment(environmentId, trap.id)
  await bob.post(`/collections/${trap.id}/members`, { who: ann.email, role: "editor" })
  const env = { ENVKEEP_COLLECTION: "", ENVKEEP_ENVIRONMENT: "" }
  expect(await run(["init", "-c", "app", "-e", "production"], { env })).toMatchObject({ code: 0 })
  expect(await run(["set", "SECRET=2", "--yes"], { env })).toEqual({
    code: 0,
    out: "",
    err: "+ SECRET=********\nenvkeep: saved 1 change to app/production, now at revision 3\n",
  })

  expect(await run(["list", "-c", id], { env })).toEqual({
    code: 1,
    out: "",
    err: `envkeep: "${id}" is the id of one collection and the name of another\nhint: give another name or id\n`,
  })

  await ann.delete(`/collection/${id}`)
  expect(await run(["set", "SECRET=3", "--yes"], { env })).toMatchObject({
    code: 1,
    err: expect.stringMatching(`^envkeep: there is no collection ${id}\n`),
  })
})
