import { createHash } from "node:crypto"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { testApp } from "@envkeep/testing/app.ts"
import { expect, onTestFinished, test } from "vitest"

async function builtScreens(): Promise<string> {
  const webDir = await mkdtemp(join(tmpdir(), "envkeep-web-"))
  onTestFinished(() => rm(webDir, { recursive: true, force: true }))
  await mkdir(join(webDir, "assets"))
  await writeFile(join(webDir, "index.html"), '<meta name="envkeep-contact-url" content="" /><h1>Envkeep</h1>')
  await writeFile(join(webDir, "assets/app-1a2b.js"), "export {}")
  await writeFile(join(webDir, "assets/app-1a2b.js.br"), brotliCompressSync("export {}"))
  await writeFile(join(webDir, "assets/app-1a2b.js.gz"), gzipSync("export {}"))
  await writeFile(join(webDir, "favicon.svg"), "<svg/>")
  return webDir
}

const marks = "__ENVKEEP_ORIGIN__ __ENVKEEP_CONTACT_URL__ __ENVKEEP_CLIENT_INTEGRITY__"

async function withLandingPage(): Promise<string> {
  const webDir = await builtScreens()
  await writeFile(join(webDir, "landing-open.html"), `<h1>Anyone</h1>${marks}`)
  await writeFile(join(webDir, "landing-closed.html"), `<h1>Not anyone</h1>${marks}`)
  return webDir
}

test("a guest gets the landing page at /, and a browser with a session gets the app", async () => {
  const { guest, user } = await testApp({ webDir: await withLandingPage(), env: { ENVKEEP_ADMIN_EMAIL: "" } })
  const get = (headers: Record<string, string>, url = "/") => guest.send({ method: "GET", url, headers })
  const page = await get({ host: "env.example.com:8080" })
  expect(page.text).toBe("<h1>Anyone</h1>http://localhost:3000 mailto:admin@localhost ")
  expect(page.headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-store" })
  expect((await get({ cookie: (await user()).cookie })).text).toContain("<h1>Envkeep</h1>")
  // Without what the server fills in, it is not a page.
  for (const file of ["/landing-open.html", "/landing-closed.html"]) expect((await get({}, file)).status).toBe(404)
})

test("the landing page shows the address of the settings, or an example, and nothing of the Host header", async () => {
  const webDir = await withLandingPage()
  const settings = { PUBLIC_URL: "https://env.example.com", ENVKEEP_CONTACT_URL: "https://example.com/?a=1&b=%22$&" }
  const known = await testApp({ webDir, env: { ...settings, ENVKEEP_REGISTRATION: "invited" } })
  expect((await known.guest.send({ method: "GET", url: "/", headers: { host: "other.example" } })).text).toBe(
    "<h1>Not anyone</h1>https://env.example.com https://example.com/?a=1&amp;b=%22$&amp; ",
  )
  const unknown = await testApp({ webDir })
  for (const host of ["<b>.example", "evil.example", ""]) {
    const { text } = await unknown.guest.send({ method: "GET", url: "/", headers: { host } })
    expect(text).toMatch(/^<h1>Anyone<\/h1>http:\/\/localhost:3000 /)
  }
})

test("the landing page is compressed for clients that accept it", async () => {
  const { guest } = await testApp({ webDir: await withLandingPage() })
  const get = (encodings: string) => guest.send({ method: "GET", url: "/", headers: { "accept-encoding": encodings } })
  for (const [asked, encoding] of [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", undefined],
    ["", undefined],
  ] as const) {
    const { headers } = await get(asked)
    expect([headers["content-encoding"], headers["vary"]]).toEqual([encoding, "accept-encoding"])
  }
})

test("with the page of a collection, a signed-in user's browser is told to ask for the collection", async () => {
  const { guest, user } = await testApp({ webDir: await builtScreens() })
  const ann = await user()
  const linkAt = async (url: string, cookie = ann.cookie) =>
    (await guest.send({ method: "GET", url, headers: { cookie } })).headers["link"]
  const link = "</api/collection/5?tagged=true>; rel=preload; as=fetch; crossorigin"
  for (const url of ["/collection/5", "/collection/5/", "/collection/5/compare", "/collection/5?env=7"]) {
    expect(await linkAt(url)).toBe(link)
  }
  for (const url of ["/", "/collection/dashboard", "/collection/05", "/collection/5/trash", "/collection/5/x.js"]) {
    expect(await linkAt(url)).toBeUndefined()
  }
  expect(await linkAt("/collection/5", "")).toBeUndefined()
  await ann.post("/users/logout")
  expect(await linkAt("/collection/5")).toBeUndefined()
})

test("every screen's URL returns the page, and so does a missing file with 404; a call gets JSON", async () => {
  const { guest } = await testApp({ webDir: await builtScreens() })
  const get = (url: string) => guest.send({ method: "GET", url })
  for (const url of ["/", "/login", "/collection/5", "/no/such/screen", "/?a=b", "/%E0%A4%A"]) {
    const page = await get(url)
    expect([page.status, page.headers["content-type"], page.text]).toEqual([
      200,
      "text/html; charset=utf-8",
      '<meta name="envkeep-contact-url" content="" /><h1>Envkeep</h1>',
    ])
    expect(page.headers["cache-control"]).toBe("no-cache")
  }
  for (const url of [
    "/about.html",
    "/robots.txt",
    "/assets/missing.css",
    "/../package.json",
    "/index.html/x.js",
    "/envkeep.tgz/",
  ]) {
    const page = await get(url)
    expect([page.status, page.headers["content-type"], page.headers["cache-control"]]).toEqual([
      404,
      "text/html; charset=utf-8",
      "no-cache",
    ])
    expect(page.text).toContain("<h1>Envkeep</h1>")
  }
  for (const url of ["/api", "/api/nothing", "/api/missing.js", "//api/v1/variables", "/API/v1/variables"]) {
    expect(await get(url)).toMatchObject({ status: 404, body: { msg: "There is nothing at this address" } })
  }
  expect((await guest.send({ method: "POST", url: "/login" })).status).toBe(404)
})

test("only built files are files: no folder, no hidden file, no other spelling, no page without its address", async () => {
  const webDir = await builtScreens()
  await mkdir(join(webDir, ".vite"))
  for (const file of [".hidden.svg", ".vite/manifest.json"]) await writeFile(join(webDir, file), "hidden")
  const { guest } = await testApp({ webDir })
  const get = async (url: string, method: "GET" | "HEAD" | "POST" = "GET") => {
    const { status, text } = await guest.send({ method, url })
    return [status, text]
  }
  const page = await readFile(join(webDir, "index.html"), "utf8")
  for (const url of ["/assets", "/assets/"]) expect(await get(url)).toEqual([200, page])
  for (const url of [
    "/index.html",
    "/.hidden.svg",
    "/.vite/manifest.json",
    "/FAVICON.svg",
    "/assets%2F..%2Ffavicon.svg",
    "//favicon.svg",
    "/favicon.svg/",
    "/assets%5Capp-1a2b.js",
  ]) {
    expect([url, ...(await get(url))]).toEqual([url, 404, page])
  }
  expect(await get("/favicon.svg?v=1")).toEqual([200, "<svg/>"])
  expect(await get("/favicon%2Esvg")).toEqual([200, "<svg/>"])
  expect(await get("/favicon.svg", "HEAD")).toEqual([200, ""])
  expect((await get("/favicon.svg", "POST"))[0]).toBe(404)
})

test("built assets may be cached for a year, other files for an hour", async () => {
  const { guest } = await testApp({ webDir: await builtScreens() })
  const cached = async (url: string) => (await guest.send({ method: "GET", url })).headers["cache-control"]
  expect(await cached("/assets/app-1a2b.js")).toBe("public, max-age=31536000, immutable")
  expect(await cached("/favicon.svg")).toBe("public, max-age=3600")
})

test("assets are sent compressed to clients that accept it", async () => {
  const { guest } = await testApp({ webDir: await builtScreens() })
  const get = (encodings: string) =>
    guest.send({ method: "GET", url: "/assets/app-1a2b.js", headers: { "accept-encoding": encodings } })
  for (const encoding of ["br", "gzip"]) {
    const { headers } = await get(encoding)
    expect(headers).toMatchObject({
      "content-encoding": encoding,
      "content-type": expect.stringMatching(/javascript/),
      "cache-control": "public, max-age=31536000, immutable",
      vary: expect.stringMatching(/accept-encoding/i),
    })
  }
  expect((await get("identity")).text).toBe("export {}")
})

test("the client package is handed out with its integrity, and asked for again once the server may have changed", async () => {
  const webDir = await builtScreens()
  const tarball = gzipSync("the package")
  const sum = createHash("sha512").update(tarball).digest("base64")
  await writeFile(join(webDir, "index.html"), '<meta name="envkeep-client-integrity" content="" />')
  await writeFile(join(webDir, "envkeep.tgz"), tarball)
  const { guest } = await testApp({ webDir })
  const get = (headers: Record<string, string> = {}) => guest.send({ method: "GET", url: "/envkeep.tgz", headers })
  const headers = {
    "content-type": "application/gzip",
    "content-length": String(tarball.length),
    "cache-control": "public, max-age=300, must-revalidate",
    "repr-digest": `sha-512=:${sum}:`,
    etag: `"${sum}"`,
  }
  const whole = await get({ "accept-encoding": "gzip, br" })
  expect(whole).toMatchObject({ status: 200, headers })
  expect(whole.headers).not.toHaveProperty("content-encoding")
  expect(await guest.send({ method: "HEAD", url: "/envkeep.tgz" })).toMatchObject({ status: 200, headers, text: "" })
  expect(await get({ "if-none-match": `W/"other", ${headers.etag}` })).toMatchObject({ status: 304, text: "" })
  expect((await guest.send({ method: "GET", url: "/" })).text).toContain(`content="sha512-${sum}"`)
})

test("the contact URL of the settings is put into the page, and cannot inject HTML", async () => {
  const contact = "https://example.com/?a=1&b=%22$&"
  const { guest } = await testApp({ webDir: await builtScreens(), env: { ENVKEEP_CONTACT_URL: contact } })
  const page = await guest.send({ method: "GET", url: "/" })
  expect(page.text).toContain('content="https://example.com/?a=1&amp;b=%22$&amp;"')
})

test("the page says who can register", async () => {
  const webDir = await builtScreens()
  await writeFile(join(webDir, "index.html"), '<meta name="envkeep-registration" content="" />')
  const { guest } = await testApp({ webDir, env: { ENVKEEP_REGISTRATION: "invited" } })
  const page = await guest.send({ method: "GET", url: "/" })
  expect(page.text).toBe('<meta name="envkeep-registration" content="invited" />')
})
