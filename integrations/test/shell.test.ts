import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { systemdGrammar } from "../../formats/consumers/systemd.ts"
import { has, hasCurl, hostile, pathOf, read, run, temporaryFolder, world } from "./world.ts"

const shells = ["sh", "bash", "dash"]

/** The variables that `env -0` prints, as far as they are ours. */
function ours(out: string): Record<string, string> {
  const pairs = out.split("\0").filter(Boolean)
  return Object.fromEntries(
    pairs
      .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const)
      .filter(([name]) => name in hostile || name.startsWith("ENVKEEP_KEY")),
  )
}

/** A key that the server refuses, one that is not set, and a server that is away: the command must not start. */
async function failures(made: Awaited<ReturnType<typeof world>>): Promise<Record<string, string>[]> {
  await made.ann.delete(`/api-key/${made.keyId}`)
  const { url, key } = made
  return [
    { ENVKEEP_URL: url, ENVKEEP_KEY: key },
    { ENVKEEP_URL: url },
    { ENVKEEP_URL: "http://127.0.0.1:9", ENVKEEP_KEY: key },
  ]
}

test.each(shells)(
  "%s: a container's command starts with its variables, without the key, or not at all",
  async (shell) => {
    const made = await world()
    const script = pathOf("docker/entrypoint.sh")
    const started = [shell, script, "env", "-0"]
    const env = { ENVKEEP_URL: made.url, ENVKEEP_KEY: made.key }
    const { code, out, err } = await run(started, { env })
    expect([code, err, ours(out)]).toEqual([0, "", hostile])

    const keyFile = join(await temporaryFolder(), "key")
    writeFileSync(keyFile, `${made.key}\n`)
    const fromFile = await run(started, { env: { ENVKEEP_URL: made.url, ENVKEEP_KEY_FILE: keyFile } })
    expect([fromFile.code, ours(fromFile.out)]).toEqual([0, hostile])

    for (const env of await failures(made)) {
      const { code, out, err } = await run(started, { env })
      expect([code === 0, out]).toEqual([false, ""])
      expect(err).not.toBe("")
    }
  },
)

test.skipIf(!hasCurl).each(shells)(
  "%s: a GitLab job has the variables in its script, or fails before it",
  async (shell) => {
    const made = await world()
    const template = parse(await read("gitlab/envkeep.gitlab-ci.yml"))
    // The runner joins both into one script.
    const job = [...template[".envkeep"].before_script, "env -0"].join("\n")
    const { code, out, err } = await run([shell, "-c", job], { env: { ENVKEEP_URL: made.url, ENVKEEP_KEY: made.key } })
    expect([code, err, ours(out)]).toEqual([0, "", hostile])

    for (const env of await failures(made)) {
      const { code, out } = await run([shell, "-c", job], { env })
      expect([code === 0, out]).toEqual([false, ""])
    }
  },
)

test.skipIf(!hasCurl)("a GitLab job that traces its commands stops before the key is used", async () => {
  const { url } = await world()
  const template = parse(await read("gitlab/envkeep.gitlab-ci.yml"))
  const env = { ENVKEEP_URL: url, ENVKEEP_KEY: "ek_not_to_be_traced_0123456789" }
  const { code, err } = await run(["sh", "-xc", template[".envkeep"].before_script.join("\n")], { env })
  expect(code).toBe(1)
  expect(err).toContain("envkeep: tracing is on and would print the key")
})

test.skipIf(!hasCurl).each(shells)("%s: the file for systemd is exact, private and replaced whole", async (shell) => {
  const made = await world()
  const folder = await temporaryFolder()
  const [runtime, credentials] = [join(folder, "runtime"), join(folder, "credentials")]
  for (const one of [runtime, credentials]) mkdirSync(one)
  writeFileSync(join(credentials, "envkeep-key"), made.key)
  const env = { ENVKEEP_URL: made.url, RUNTIME_DIRECTORY: runtime, CREDENTIALS_DIRECTORY: credentials }
  const write = () => run([shell, pathOf("systemd/read-variables.sh")], { env })
  const file = join(runtime, "app.env")

  expect(await write()).toEqual({ code: 0, out: "", err: "" })
  const text = readFileSync(file, "utf8")
  expect(Object.fromEntries(systemdGrammar.read(text))).toEqual(hostile)
  expect(statSync(file).mode & 0o777).toBe(0o600)

  await made.ann.delete(`/api-key/${made.keyId}`)
  expect((await write()).code).not.toBe(0)
  expect([readFileSync(file, "utf8"), existsSync(`${file}.new`)]).toEqual([text, false])
})

test.skipIf(!hasCurl)(
  "the CronJob's first container writes a Secret with the exact values, under the name that its role allows",
  async () => {
    const made = await world()
    const documents = parseAllDocuments(await read("kubernetes/cronjob.yaml")).map((one) => one.toJS())
    const [account, role, binding, job] = documents
    const pod = job.spec.jobTemplate.spec.template.spec
    const [reader] = pod.initContainers
    const folder = await temporaryFolder()
    const files = { ENVKEEP_KEY_FILE: join(folder, "key"), MANIFEST: join(folder, "secret.yaml") }
    writeFileSync(files.ENVKEEP_KEY_FILE, made.key)
    const given = reader.env.map(({ name }: { name: string }) => name)
    expect(given.sort()).toEqual(["ENVKEEP_KEY_FILE", "ENVKEEP_URL", "MANIFEST"])
    const env = { ...files, ENVKEEP_URL: made.url }
    expect(await run(reader.command, { env })).toEqual({ code: 0, out: "", err: "" })

    const secret = parse(readFileSync(files.MANIFEST, "utf8"))
    expect(secret).toMatchObject({ kind: "Secret", metadata: { name: role.rules[0].resourceNames[0] } })
    const decoded = Object.entries(secret.data).map(([name, value]) => [
      name,
      Buffer.from(String(value), "base64").toString(),
    ])
    expect(Object.fromEntries(decoded)).toEqual(hostile)

    expect([binding.roleRef.name, binding.subjects[0].name]).toEqual([role.metadata.name, account.metadata.name])
    const mounted = (container: { volumeMounts: { name: string }[] }) => container.volumeMounts.map(({ name }) => name)
    expect([mounted(reader), mounted(pod.containers[0])]).toEqual([
      ["key", "manifest"],
      ["manifest", "token"],
    ])
    await made.ann.delete(`/api-key/${made.keyId}`)
    expect((await run(reader.command, { env })).code).not.toBe(0)
  },
)

/** The scripts, each with all settings, and where systemd would find its file. */
async function allScripts(shell: string, { url, key }: { url: string; key: string }) {
  const folder = await temporaryFolder()
  const [keyFile, manifest] = [join(folder, "envkeep-key"), join(folder, "manifest")]
  writeFileSync(keyFile, key)
  const template = parse(await read("gitlab/envkeep.gitlab-ci.yml"))
  const job = parseAllDocuments(await read("kubernetes/cronjob.yaml"))[3]?.toJS()
  const [reader] = job.spec.jobTemplate.spec.template.spec.initContainers
  const env = {
    ...{ ENVKEEP_URL: url, ENVKEEP_KEY: key, ENVKEEP_KEY_FILE: keyFile, MANIFEST: manifest },
    ...{ RUNTIME_DIRECTORY: folder, CREDENTIALS_DIRECTORY: folder },
  }
  const commands = [
    [shell, pathOf("docker/entrypoint.sh"), "echo", "started"],
    [shell, "-c", [...template[".envkeep"].before_script, "echo started"].join("\n")],
    [shell, pathOf("systemd/read-variables.sh")],
    [shell, ...reader.command.slice(1)],
  ]
  return { commands, env, systemdFile: join(folder, "app.env") }
}

test.skipIf(!hasCurl).each(shells)("%s: the body of a redirect is not taken for variables", async (shell) => {
  const { key } = await world()
  const proxy = createServer((_, response) => {
    response.writeHead(301, { location: "https://envkeep.example.com/" }).end("export MOVED=1\n")
  })
  onTestFinished(() => void proxy.close().closeAllConnections())
  await once(proxy.listen(0, "127.0.0.1"), "listening")
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const { commands, env, systemdFile } = await allScripts(shell, { url, key })
  for (const command of commands) {
    expect([command, await run(command, { env })]).toEqual([
      command,
      { code: 1, out: "", err: "envkeep: the server answered with status 301: is ENVKEEP_URL its own address?\n" },
    ])
  }
  expect([existsSync(systemdFile), existsSync(`${systemdFile}.new`)]).toEqual([false, false])
})

test.skipIf(!hasCurl).each(shells)("%s: an answer that curl has written twice is not run", async (shell) => {
  const lines = "export A='first\\necho value was run\\nlast'\\n"
  let requests = 0
  const stalling = createServer((_, response) => {
    response.writeHead(200, { "content-length": lines.length })
    if (requests++ % 2 === 0) response.write(lines.slice(0, 13))
    else response.end(lines)
  })
  onTestFinished(() => void stalling.close().closeAllConnections())
  await once(stalling.listen(0, "127.0.0.1"), "listening")
  const url = `http://127.0.0.1:${(stalling.address() as AddressInfo).port}`
  const { commands, env } = await allScripts(shell, { url, key: "ek_not_looked_at" })
  const programs = await temporaryFolder()
  // Older ones than 8.14 fail instead of trying again, so this does what newer ones do.
  const tries = ["PATH=/usr/bin:/bin", `curl "$@" --retry 0 --max-time 1 --write-out '' 2>/dev/null || exec curl "$@"`]
  writeFileSync(join(programs, "curl"), ["#!/bin/sh", ...tries, ""].join("\n"), { mode: 0o755 })
  const path = { ...env, PATH: `${programs}:${process.env["PATH"]}` }
  for (const command of commands.slice(0, 2)) {
    const { code, out, err } = await run(command, { env: path })
    expect([command, code, out, err]).toEqual([command, 1, "", "envkeep: the answer of the server was interrupted\n"])
  }
})

test.skipIf(!hasCurl).each(shells)("%s: nothing starts while a value is damaged on the server", async (shell) => {
  const made = await world({ GOOD: "good-value-1" })
  for (const name of ["BAD", "WORSE"]) {
    const { id } = await made.ann.item(made.environment, name, "a value that is lost")
    await made.db
      .updateTable("item")
      .set({ sealed_value: Buffer.alloc(40) })
      .where("id", "=", id)
      .execute()
  }
  await made.ann.item(made.environment, "LATER", "good-value-2")
  const { commands, env, systemdFile } = await allScripts(shell, made)
  for (const command of commands) {
    expect([command, await run(command, { env })]).toEqual([
      command,
      { code: 1, out: "", err: "envkeep: values are damaged on the server: BAD,WORSE\n" },
    ])
  }
  expect([existsSync(systemdFile), existsSync(`${systemdFile}.new`)]).toEqual([false, false])
})

test.skipIf(!hasCurl).each(shells)("%s: a GitLab job keeps the options of its shell", async (shell) => {
  const { url, key } = await world()
  const template = parse(await read("gitlab/envkeep.gitlab-ci.yml"))
  const job = [...template[".envkeep"].before_script, "echo $-"].join("\n")
  for (const options of [[], ["-e"], ["-u"], ["-e", "-u"]]) {
    const env = { ENVKEEP_URL: url, ENVKEEP_KEY: key }
    const before = await run([shell, ...options, "-c", "echo $-"])
    expect(await run([shell, ...options, "-c", job], { env })).toEqual({ code: 0, out: before.out, err: "" })
  }
})

test.skipIf(!hasCurl)(
  "no script puts the key into the arguments of a program, where all users of a machine see it",
  async () => {
    const made = await world()
    const { commands, env } = await allScripts("sh", made)
    const folder = await temporaryFolder()
    const log = join(folder, "log")
    const programs = join(folder, "programs")
    mkdirSync(programs)
    // Stands before each program that a script starts, and writes down what it was started with.
    for (const name of ["curl", "cat", "printf", "env", "mv", "rm"]) {
      const real = ["/usr/bin", "/bin"].map((one) => join(one, name)).find((path) => existsSync(path))
      writeFileSync(join(programs, name), `#!/bin/sh\necho "${name} $*" >> '${log}'\nexec ${real} "$@"\n`, {
        mode: 0o755,
      })
    }
    const traced = { ...env, PATH: `${programs}:${process.env["PATH"]}` }
    for (const command of commands) expect([command, (await run(command, { env: traced })).code]).toEqual([command, 0])
    const started = readFileSync(log, "utf8")
    expect(started.match(/^curl --fail .*--max-time 20/gm)).toHaveLength(commands.length)
    expect(started).not.toContain(made.key.slice(0, 20))
  },
)

test("every shell can read the scripts, and the linter for shells finds nothing where it is installed", () => {
  for (const script of ["docker/entrypoint.sh", "systemd/read-variables.sh"]) {
    for (const shell of shells) expect(spawnSync(shell, ["-n", pathOf(script)]).status).toBe(0)
    if (has("shellcheck")) expect(spawnSync("shellcheck", [pathOf(script)], { encoding: "utf8" }).stdout).toBe("")
  }
})

test("systemd accepts the units, where it is installed", async () => {
  const units = ["app.service", "app-variables.service"]
  const [app = "", reader = ""] = await Promise.all(units.map((unit) => read(`systemd/${unit}`)))
  const settingOf = (unit: string, name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1]
  expect([settingOf(app, "Requires"), settingOf(app, "After")]).toEqual([units[1], units[1]])
  expect(settingOf(app, "EnvironmentFile")).toBe(`/run/${settingOf(reader, "RuntimeDirectory")}/app.env`)
  expect(settingOf(reader, "LoadCredential")).toMatch(/^envkeep-key:/)
  expect(app).not.toContain("LoadCredential")
  if (!has("systemd-analyze")) return

  const folder = await temporaryFolder()
  const installed = join(folder, "read-variables.sh")
  writeFileSync(installed, await read("systemd/read-variables.sh"), { mode: 0o755 })
  writeFileSync(join(folder, "app.service"), app)
  writeFileSync(join(folder, "app-variables.service"), reader.replace(/^ExecStart=.*$/m, `ExecStart=${installed}`))
  const complaints = () => {
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` }
    const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...units], {
      cwd: folder,
      encoding: "utf8",
      env,
    })
    // Other units of the machine may be faulty.
    return stderr.split("\n").filter((line) => line.includes("app"))
  }
  expect(complaints()).toEqual([])
  writeFileSync(join(folder, "app.service"), app.replace("ProtectSystem=strict", "ProtectSystem=stirct"))
  expect(complaints().join()).toContain("stirct")
})
