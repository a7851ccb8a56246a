import { findNodes } from "@envkeep/testing/machine/nodes.ts"
import { expect, test } from "vitest"
import { cli, envkeep, inTerminal } from "./command.ts"
import { serverProcess } from "./server-process.ts"
import { anyKey, strangeServer } from "./strange-server.ts"
import { asEnv, world } from "./world.ts"

const node = (script: string) => [process.execPath, "-e", script]

test("the command gets the variables, and those already set win unless overridden", async () => {
  const made = await world([
    { name: "A", value: "store" },
    { name: "__proto__", value: "also" },
    { name: "PATH", value: "/nowhere" },
  ])
  const env = { ...asEnv(made), B: "mine" }
  const print = node("console.log(JSON.stringify([process.env.A, process.env.B, process.env['__proto__']]))")
  expect(await envkeep(["run", "--", ...print], { env }).ended).toEqual({
    code: 0,
    out: '["store","mine","also"]\n',
    err: "",
  })
  const both = { ...env, A: "mine" }
  expect((await envkeep(["run", "/bin/sh", "-c", 'echo "$A"'], { env: both }).ended).out).toBe("mine\n")
  expect((await envkeep(["run", "--override", "/bin/sh", "-c", 'echo "$A"'], { env: both }).ended).out).toBe("store\n")
})

test("what follows the command is the command's, whatever it looks like", async () => {
  const env = asEnv(await world())
  const { out } = await envkeep(["run", "--", "echo", "--watch", "--", "a b", "$A"], { env }).ended
  expect(out).toBe("--watch -- a b $A\n")
})

test("standard input, output and error and the exit code are the command's own", async () => {
  const env = asEnv(await world())
  const script =
    "process.stdin.on('data', (d) => { process.stdout.write(d); process.stderr.write(d); process.exitCode = 7 })"
  expect(await envkeep(["run", "--", ...node(script)], { env, input: "through" }).ended).toEqual({
    code: 7,
    out: "through",
    err: "through",
  })
})

test.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR2"] as const)("%s is passed on to the command", async (signal) => {
  const env = asEnv(await world())
  const script = `process.on('${signal}', () => { console.log('got it'); process.exit(3) }); console.log('ready'); setInterval(() => 0, 1000)`
  const run = envkeep(["run", "--", ...node(script)], { env })
  expect(await run.line()).toBe("ready")
  run.child.kill(signal)
  expect(await run.ended).toEqual({ code: 3, out: "ready\ngot it\n", err: "" })
})

test("a command ended by a signal gives 128 and the signal's number", async () => {
  const env = asEnv(await world())
  expect((await envkeep(["run", "--", "sh", "-c", "kill -TERM $$"], { env }).ended).code).toBe(143)
  expect((await envkeep(["run", "--", "sh", "-c", "kill -KILL $$"], { env }).ended).code).toBe(137)
})

test("a command that does not exist or cannot run is reported as a shell would", async () => {
  const env = asEnv(await world())
  expect(await envkeep(["run", "--", "no-such-command"], { env }).ended).toEqual({
    code: 127,
    out: "",
    err: "envkeep: cannot run no-such-command: command not found\n",
  })
  expect(await envkeep(["run", "--", import.meta.filename], { env }).ended).toEqual({
    code: 126,
    out: "",
    err: `envkeep: cannot run ${import.meta.filename}: permission denied\n`,
  })
})

test("variables that are too large for a program are reported with what to do, and exit code 126", async () => {
  const hint = "hint: load them in the program with envkeep/apply, or write them to a file with envkeep save\n"
  const run = async (variables: Record<string, string>) => {
    const url = await strangeServer((_, response) => {
      response.writeHead(200, { "envkeep-revision": "1" }).end(JSON.stringify(variables))
    })
    return envkeep(["run", "--", "true"], { env: asEnv({ url, key: anyKey }) }).ended
  }
  const many = Object.fromEntries(Array.from({ length: 160 }, (_, n) => [`N${n}`, "x".repeat(60_000)]))
  expect(await run(many)).toEqual({
    code: 126,
    out: "",
    err: expect.stringMatching(
      /^envkeep: cannot run true: its arguments and variables are too large for this system: the variables take 937\d KiB\n/,
    ),
  })
  expect(await run({ SMALL: "", LARGE: "x".repeat(3_000_000) })).toEqual({
    code: 126,
    out: "",
    err: `envkeep: cannot run true: the variable "LARGE" takes 2930 KiB, and Linux allows 128 KiB\n${hint}`,
  })
})

test("the key never appears in the arguments of a process", async () => {
  const made = await world()
  const { out } = await envkeep(["run", "--", "ps", "-A", "-ww", "-o", "args="], { env: asEnv(made) }).ended
  expect(out).toContain(`${cli} run -- ps`)
  expect(out).not.toContain(made.key)
})

test.each([[[]], [["--watch"]]])(
  "in a terminal the command has the terminal, and Ctrl-C reaches it once and ends it, with %j",
  async (options) => {
    const made = await world()
    const script =
      "let n = 0; process.on('SIGINT', () => { n++; setTimeout(() => { console.log('interrupts: ' + n); process.exit(9) }, 300) });" +
      "console.log('terminal: ' + process.stdin.isTTY + process.stdout.isTTY); setInterval(() => 0, 1000)"
    const run = inTerminal([process.execPath, cli, "run", ...options, "--", ...node(script)], { env: asEnv(made) })
    expect((await run.line()).trim()).toBe("terminal: truetrue")
    run.child.stdin.write("\x03")
    const { code, out } = await run.ended
    expect([code, out]).toEqual([9, expect.stringContaining("interrupts: 1")])
  },
)

const showAndStay = node(
  "process.on('SIGTERM', () => { console.log('bye ' + process.env.A); process.exit(0) });" +
    "console.log('started with ' + process.env.A); setInterval(() => 0, 1000)",
)

test.each(findNodes())(
  "--watch on Node $version restarts the command on change, whatever the server does",
  async ({ path }) => {
    const server = await serverProcess()
    const run = envkeep(["run", "--watch", "--", ...showAndStay], { env: asEnv(server), node: path })
    expect(await run.line()).toBe("started with 1")
    await server.bulk([{ name: "A", value: "2" }])
    expect([await run.line(), await run.line()]).toEqual(["bye 1", "started with 2"])
    await server.rename("another name")
    await server.kill()
    await server.restart()
    await server.bulk([{ name: "A", value: "3" }])
    expect([await run.line(), await run.line()]).toEqual(["bye 2", "started with 3"])
    await server.deleteKey()
    run.child.stderr.on("data", (text: string) => text.includes("not valid") && run.child.kill("SIGTERM"))
    expect(await run.ended).toEqual({
      code: 0,
      out: expect.stringMatching(/started with 3\nbye 3\n$/),
      err: `${restarting}${restarting}envkeep: the API key is not valid: it was deleted or is from another server\n`,
    })
  },
)

const restarting = "envkeep: the variables have changed: restarting the command\n"
const waiting = (code: number) =>
  `envkeep: the command failed with exit code ${code}: waiting for the variables to change\n`

test("the command goes on and is restarted when no one reads the messages any more", async () => {
  const made = await world()
  const run = envkeep(["run", "--watch", "--", ...showAndStay], { env: asEnv(made) })
  expect(await run.line()).toBe("started with 1")
  run.child.stderr.destroy()
  for (const value of ["2", "3"]) {
    await made.bulk([{ name: "A", value }])
    expect([await run.line(), await run.line()]).toEqual([`bye ${Number(value) - 1}`, `started with ${value}`])
  }
  run.child.kill("SIGTERM")
  expect((await run.ended).code).toBe(0)
})

test("with --watch a command that succeeds, or cannot run at all, ends the run", async () => {
  const env = asEnv(await world())
  expect(await envkeep(["run", "--watch", "--", "true"], { env }).ended).toEqual({ code: 0, out: "", err: "" })
  expect(await envkeep(["run", "--watch", "--", "no-such-command"], { env }).ended).toMatchObject({ code: 127 })
})

test("with --watch a command that fails starts again after the next change", async () => {
  const made = await world([{ name: "CODE", value: "5" }])
  const run = envkeep(["run", "--watch", "--", "sh", "-c", 'echo "code $CODE"; exit $CODE'], { env: asEnv(made) })
  for (const code of ["7", "0"]) {
    await said(run, "waiting")
    await made.bulk([{ name: "CODE", value: code }])
  }
  expect(await run.ended).toEqual({
    code: 0,
    out: "code 5\ncode 7\ncode 0\n",
    err: [waiting(5), waiting(7)].join(restarting) + restarting,
  })
})

test("a run that waits for a change ends on a signal, and when its key is deleted", async () => {
  const made = await world()
  const start = () => envkeep(["run", "--watch", "--", "sh", "-c", "exit 5"], { env: asEnv(made) })
  const [told, left] = [start(), start()]
  await Promise.all([said(told, "waiting"), said(left, "waiting")])
  told.child.kill("SIGTERM")
  expect(await told.ended).toMatchObject({ code: 5, err: waiting(5) })
  await made.ann.delete(`/api-key/${made.keyId}`)
  expect(await left.ended).toMatchObject({ code: 5, err: expect.stringContaining("the API key is not valid") })
})

test("with --watch and --only the command restarts for these variables alone", async () => {
  const made = await world([
    { name: "A", value: "1" },
    { name: "B", value: "1" },
  ])
  const run = envkeep(["run", "--watch", "--only", "A", "--", ...showAndStay], { env: asEnv(made) })
  expect(await run.line()).toBe("started with 1")
  await made.bulk([
    { name: "A", value: "1" },
    { name: "B", value: "2" },
  ])
  await made.bulk([
    { name: "A", value: "2" },
    { name: "B", value: "2" },
  ])
  expect([await run.line(), await run.line()]).toEqual(["bye 1", "started with 2"])
  run.child.kill("SIGTERM")
  expect(await run.ended).toMatchObject({ err: restarting })
})

test("with --watch a variable of --only that is deleted is named, and the command keeps running with it", async () => {
  const [a, b] = [
    { name: "A", value: "1" },
    { name: "B", value: "1" },
  ]
  const made = await world([b, a])
  const run = envkeep(["run", "--watch", "--only", "A,B", "--", ...showAndStay], { env: asEnv(made) })
  expect(await run.line()).toBe("started with 1")
  const warned = said(run, "no longer")
  await made.bulk([b])
  await warned
  await made.bulk([b, { name: "C", value: "not asked for" }])
  // The same value again is no reason to restart.
  await made.bulk([b, a])
  await made.bulk([b, { ...a, value: "2" }])
  expect([await run.line(), await run.line()]).toEqual(["bye 1", "started with 2"])
  run.child.kill("SIGTERM")
  const missing = 'envkeep: the environment no longer has the variable "A": the last good values stay in use\n'
  expect(await run.ended).toMatchObject({ code: 0, err: missing + restarting })
})

/** Resolves when the next piece of standard error has this word. */
function said({ child }: ReturnType<typeof envkeep>, word: string): Promise<void> {
  return new Promise((resolve) => {
    child.stderr.on("data", (text: string) => text.includes(word) && resolve())
  })
}
