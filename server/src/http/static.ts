import { readdir, readFile } from "node:fs/promises"
import { join, sep } from "node:path"
import { sentences } from "@envkeep/contract"
import fastifyStatic from "@fastify/static"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { clientFile, serveClient } from "./client-package.ts"
import { failure } from "./errors.ts"
import { landingPage } from "./landing-page.ts"
import { type PageFacts, withMetas } from "./page-facts.ts"

type Settings = Omit<PageFacts, "clientIntegrity"> & { publicOrigin: string | undefined }

interface Web extends Settings {
  webDir: string | undefined
  /** Whether the request has the cookie of a session, which may have ended. */
  hasSession: (request: FastifyRequest) => boolean
  isSignedIn: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>
}

/**
 * Serves the built screens. Every path of a screen gets the same page, because the router runs in the browser. Only `/`
 * is another page for guests: the landing page, which needs no app.
 */
export async function serveWeb(
  app: FastifyInstance,
  { webDir, isSignedIn, hasSession, ...settings }: Web,
): Promise<void> {
  const built = webDir === undefined ? undefined : await builtPages(app, webDir, settings)
  const page = built?.page
  const sendPage = (reply: FastifyReply) =>
    reply.header("cache-control", "no-cache").type("text/html; charset=utf-8").send(page)
  const sendScreen = async (request: FastifyRequest, reply: FastifyReply, path: string) => {
    const first = firstReadOf(path)
    // Not for a guest: the refusal would be kept, and used for the first read after the login.
    if (first !== undefined && (await isSignedIn(request, reply))) {
      reply.header("link", `<${first}>; rel=preload; as=fetch; crossorigin`)
    }
    return sendPage(reply)
  }

  if (webDir !== undefined) {
    await app.register(fastifyStatic, {
      root: webDir,
      serve: false,
      index: false,
      cacheControl: false,
      preCompressed: true,
      setHeaders(reply, path) {
        // Only the names of built assets change with their content.
        const isAsset = path.startsWith(join(webDir, "assets"))
        reply.header("cache-control", isAsset ? "public, max-age=31536000, immutable" : "public, max-age=3600")
      },
    })
    // One route for all: a route for each file took megabytes.
    const files = await servedFiles(webDir)
    app.get<{ Params: { "*": string } }>("/*", (request, reply) => {
      const { "*": file } = request.params
      return files.has(file) ? reply.sendFile(file) : reply.callNotFound()
    })
    app.get("/", (request, reply) =>
      built?.sendLanding === undefined || hasSession(request) ? sendPage(reply) : built.sendLanding(request, reply),
    )
  }

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url) ?? request.url
    if (page === undefined || !mayBeScreen(request, path)) {
      return reply.status(404).send(failure(sentences.noSuchPath))
    }
    // No screen's path ends like a file's, so what is missing here is known to be missing there.
    return /\.\w+\/?$/.test(path) ? sendPage(reply.status(404)) : sendScreen(request, reply, path)
  })
}

/** What is sent as it was built. Pages are not, because the server fills them in, nor what a system hides in a folder. */
async function servedFiles(webDir: string): Promise<ReadonlySet<string>> {
  const names = await readdir(webDir, { recursive: true })
  const paths = names.map((name) => name.replaceAll(sep, "/"))
  const isOther = /^(index|landing-[^/]*)\.html$|(^|\/)\./
  return new Set(paths.filter((path) => path !== clientFile && !isOther.test(path)))
}

async function builtPages(app: FastifyInstance, webDir: string, settings: Settings) {
  const facts = { ...settings, clientIntegrity: await serveClient(app, webDir) }
  return {
    // As bytes: text would be encoded for every reader.
    page: Buffer.from(withMetas(await readFile(join(webDir, "index.html"), "utf8"), facts)),
    sendLanding: await landingPage(webDir, facts),
  }
}

/**
 * What a screen reads first. The browser asks for it while it still loads the screen. Only where it is long: a whole
 * collection takes longer than the scripts.
 */
function firstReadOf(path: string): string | undefined {
  const [, id] = /^\/collection\/([1-9]\d{0,14})(?:\/compare)?\/?$/.exec(path) ?? []
  return id && `/api/collection/${id}?tagged=true`
}

/**
 * People see the screens' own 404 page; programs that call the API get JSON, also if they misspell its path: a page with
 * status 200 would be taken for variables.
 */
function mayBeScreen({ method }: FastifyRequest, path: string): boolean {
  const isApi = /^\/api(\/|$)/i.test(path)
  return (method === "GET" || method === "HEAD") && !isApi
}

/** A URL that cannot be decoded: the screens show their own 404 page for it. */
export function isUnreadableScreen(url: string): boolean {
  return url.includes("%") && !url.startsWith("/api/") && pathOf(url) === undefined
}

/**
 * The path as the router sees it: decoded, and without the origin that some proxies send. Without a second slash at its
 * beginning, which comes from a base address that ends in one and would be read as an origin.
 */
function pathOf(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url.replace(/^\/+/, "/"), "http://localhost").pathname)
  } catch {
    return undefined
  }
}
