import { once } from "node:events"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { createServer, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { test as anyTest, expect, onTestFinished } from "vitest"
import { envkeep, start } from "./command.ts"
import { withTls } from "./tls.ts"
import { asEnv, temporaryFolder, world } from "./world.ts"

// Node's own switch, which these have: 22.21, 24.5 and newer.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const test = anyTest.runIf(major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21))

test("with Node's switch, requests go through the proxy of the environment, over http and https", async () => {
  const { url, key } = await world()
  const proxy = await httpProxy()
  const secure = await withTls(url)
  const proxies = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: secure.certificate }
  const print = async (server: string, more: Record<string, string>) => {
    const { code, out } = await envkeep(["print"], { env: { ...asEnv({ url: server, key }), ...proxies, ...more } })
      .ended
    expect({ code, out }).toEqual({ code: 0, out: "A=1\n" })
    return proxy.asked.splice(0)
  }
  const on = { NODE_USE_ENV_PROXY: "1" }
  expect(await print(url, {})).toEqual([])
  expect(await print(secure.url, on)).toEqual([`CONNECT ${new URL(secure.url).host}`])
  expect(await print(url, on)).toEqual([`GET ${url}/api/v1/variables?format=json`])
  expect(await print(secure.url, { ...on, NO_PROXY: "localhost" })).toEqual([])
})

test("require() of envkeep/apply goes through the proxy too, whichever way the switch is on", async () => {
  const { url, key } = await world()
  const proxy = await httpProxy()
  const cwd = await temporaryFolder()
  await mkdir(join(cwd, "node_modules"))
  await symlink(join(import.meta.dirname, ".."), join(cwd, "node_modules/envkeep"))
  await writeFile(join(cwd, "app.cjs"), `require("envkeep/apply"); console.log(process.env.A)`)
  const env = { ...asEnv({ url, key }), HTTP_PROXY: proxy.url }
  const preload = "--require envkeep/apply"
  for (const [flags, more] of [
    [[], { NODE_USE_ENV_PROXY: "1" }],
    [["--use-env-proxy"], {}],
    [[], { NODE_OPTIONS: `--use-env-proxy ${preload}` }],
  ] as const) {
    const { out } = await start([process.execPath, ...flags, "app.cjs"], { cwd, env: { ...env, ...more } }).ended
    expect(out).toBe("1\n")
    expect(proxy.asked.splice(0)).toContain(`GET ${url}/api/v1/variables?format=json`)
  }
})

test("through a proxy too, a change whose answer is lost may have been saved, and one that was not sent has not", async () => {
  const { url } = await world()
  const proxy = await httpProxy()
  const secure = await withTls(url, { cutsAfter: "DELETE " })
  const env = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: secure.certificate }
  const logout = async (more: Record<string, string>) => {
    const home = await temporaryFolder()
    await mkdir(join(home, "envkeep"))
    const logins = [{ url: secure.url, token: "ept_of_this_test", username: "ann" }]
    await writeFile(join(home, "envkeep/logins.json"), JSON.stringify({ logins }), { mode: 0o600 })
    return (await envkeep(["logout", secure.url], { env: { XDG_CONFIG_HOME: home, ...env, ...more } }).ended).err
  }
  expect(await logout({})).toContain("the connection was closed, so it is unknown whether the change was saved")
  expect(await logout({ HTTPS_PROXY: "http://127.0.0.1:1" })).not.toContain("unknown")
  expect(await logout({ NO_PROXY: "localhost", NODE_EXTRA_CA_CERTS: "" })).not.toContain("unknown")
})

/** A proxy as companies have them, and what it was asked for. */
async function httpProxy() {
  const asked: string[] = []
  const server = createServer((incoming, outgoing) => {
    const { method, url = "", headers } = incoming
    asked.push(`${method} ${url}`)
    const onward = request(url, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  server.on("connect", ({ url = "" }, socket) => {
    asked.push(`CONNECT ${url}`)
    const { hostname: host, port } = new URL(`http://${url}`)
    const onward = connect({ host, port: Number(port) }, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"))
    for (const end of [socket, onward]) end.on("error", () => undefined)
    socket.pipe(onward).pipe(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
