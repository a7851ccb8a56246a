import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { findNodes } from "@envkeep/testing/machine/nodes.ts"
import { expect, test } from "vitest"
import { envkeep } from "./command.ts"
import { withTls } from "./tls.ts"
import { asEnv, temporaryFolder, world } from "./world.ts"

test.each(findNodes())(
  "over https, on Node $version, a certificate must be one that is trusted",
  async ({ path: node }) => {
    const { url, key } = await world()
    const secure = await withTls(url)
    const env = asEnv({ url: secure.url, key })
    expect(await envkeep(["print"], { node, env: { ...env, NODE_EXTRA_CA_CERTS: secure.certificate } }).ended).toEqual({
      code: 0,
      out: "A=1\n",
      err: "",
    })
    expect(await envkeep(["print"], { node, env }).ended).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(/^envkeep: the server at https:.* cannot be reached: self-signed certificate.*\n$/),
    })
  },
)

test.each(findNodes())("on Node $version, a change is not sent to a server that is not trusted", async (given) => {
  const { url } = await withTls((await world()).url)
  const home = await temporaryFolder()
  await mkdir(join(home, "envkeep"))
  const logins = [{ url, token: "ept_of_this_test", username: "ann" }]
  await writeFile(join(home, "envkeep/logins.json"), JSON.stringify({ logins }), { mode: 0o600 })
  for (const command of ["login", "logout"]) {
    const { code, err } = await envkeep([command, url], { node: given.path, env: { XDG_CONFIG_HOME: home } }).ended
    expect(code).toBe(1)
    expect(err).toMatch(/^envkeep: the server at https:\S+ cannot be reached: self-signed certificate.*\n$/)
    expect(err).not.toContain("unknown whether")
  }
})

test.each(findNodes())("an https address of a server without TLS is named as such, on Node $version", async (given) => {
  const { url, key } = await world()
  const secure = url.replace("http:", "https:")
  expect(await envkeep(["print"], { node: given.path, env: asEnv({ url: secure, key }) }).ended).toEqual({
    code: 1,
    out: "",
    err: `envkeep: the server at ${secure} cannot be reached: it does not speak https: is it http:// in ENVKEEP_URL?\n`,
  })
})
