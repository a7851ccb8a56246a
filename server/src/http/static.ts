import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { type RegistrationMode, sentences } from "@envkeep/contract"
import fastifyStatic from "@fastify/static"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { clientFile, serveClient } from "./client-package.ts"
import { failure } from "./errors.ts"
import { escapeHtml } from "./escape-html.ts"

interface Web {
  webDir: string | undefined
  contactUrl: string | undefined
  registration: RegistrationMode
  isSignedIn: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>
}

/** Serves the built screens. Every path of a screen gets the same page, because the router runs in the browser. */
export async function serveWeb(
  app: FastifyInstance,
  { webDir, contactUrl, registration, isSignedIn }: Web,
): Promise<void> {
  const clientIntegrity = webDir === undefined ? undefined : await serveClient(app, webDir)
  const page = webDir === undefined ? undefined : await firstPage(webDir, { contactUrl, clientIntegrity, registration })
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
      wildcard: false,
      index: false,
      globIgnore: ["index.html", clientFile],
      cacheControl: false,
      preCompressed: true,
      setHeaders(reply, path) {
        // Only the names of built assets change with their content.
        const isAsset = path.startsWith(join(webDir, "assets"))
        reply.header("cache-control", isAsset ? "public, max-age=31536000, immutable" : "public, max-age=3600")
      },
    })
    app.get("/", (_, reply) => sendPage(reply))
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

/**
 * What a screen reads first. The browser asks for it while it still loads the screen. Only where it is long: a whole
 * collection takes longer than the scripts.
 */
function firstReadOf(path: string): string | undefined {
  const [, id] = /^\/collection\/([1-9]\d{0,14})(?:\/compare)?\/?$/.exec(path) ?? []
  return id && `/api/collection/${id}`
}

/** The page with what only the running server knows. */
async function firstPage(
  webDir: string,
  facts: { contactUrl: string | undefined; clientIntegrity: string | undefined; registration: RegistrationMode },
): Promise<string> {
  const html = await readFile(join(webDir, "index.html"), "utf8")
  const metas = [
    ["envkeep-contact-url", facts.contactUrl],
    ["envkeep-client-integrity", facts.clientIntegrity],
    ["envkeep-registration", facts.registration],
  ] as const
  return metas.reduce((page, [name, content = ""]) => withMeta(page, name, content), html)
}

function withMeta(html: string, name: string, content: string): string {
  const tag = `<meta name="${name}" content=`
  return html.replace(`${tag}""`, () => `${tag}"${escapeHtml(content)}"`)
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
