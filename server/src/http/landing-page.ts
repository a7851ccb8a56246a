import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import type { FastifyReply, FastifyRequest } from "fastify"
import { escapeHtml } from "../escape-html.ts"
import { type PageFacts, withMetas } from "./page-facts.ts"

type SendLanding = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

const encodings = ["br", "gzip", "identity"] as const
type Encoding = (typeof encodings)[number]

/**
 * Shown where the address that people use is not configured, until the page's script writes the one that they used. The
 * `Host` header would tell, but a visitor can write anything into it.
 */
const exampleOrigin = "http://localhost:3000"

/** The build wrote the landing page without what is not the same on every server. Undefined if it was not built. */
export async function landingPage(
  webDir: string,
  { publicOrigin = exampleOrigin, ...facts }: PageFacts & { publicOrigin: string | undefined },
): Promise<SendLanding | undefined> {
  const html = await readBuilt(
    join(webDir, facts.registration === "open" ? "landing-open.html" : "landing-closed.html"),
  )
  if (html === undefined) return undefined
  const page = await compressed(fill(html, publicOrigin, facts))
  return (request, reply) => {
    const encoding = acceptedBy(request)
    if (encoding !== "identity") reply.header("content-encoding", encoding)
    return (
      reply
        // After the login the same address is another page, also when the browser goes back to it.
        .header("cache-control", "no-store")
        .header("vary", "accept-encoding")
        .type("text/html; charset=utf-8")
        .send(page[encoding])
    )
  }
}

async function readBuilt(file: string): Promise<string | undefined> {
  return await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    // The app alone may have been built: it has a landing page too.
    if (error.code !== "ENOENT") throw error
    return undefined
  })
}

function fill(html: string, origin: string, facts: PageFacts): string {
  const values = {
    __ENVKEEP_ORIGIN__: origin,
    __ENVKEEP_CONTACT_URL__: facts.contactUrl ?? `mailto:admin@${new URL(origin).hostname}`,
    __ENVKEEP_CLIENT_INTEGRITY__: facts.clientIntegrity ?? "",
  }
  const filled = Object.entries(values).reduce(
    (page, [mark, value]) => page.replaceAll(mark, () => escapeHtml(value)),
    html,
  )
  return withMetas(filled, facts)
}

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

async function compressed(html: string): Promise<Record<Encoding, Buffer>> {
  const identity = Buffer.from(html)
  // A higher quality takes ten times as long and saves a few percent.
  const [br, gzip] = await Promise.all([
    toBrotli(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    toGzip(identity),
  ])
  return { br, gzip, identity }
}

function acceptedBy({ headers }: FastifyRequest): Encoding {
  const accepted = String(headers["accept-encoding"] ?? "")
    .split(",")
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(";")[0]?.trim().toLowerCase())
  return encodings.find((encoding) => accepted.includes(encoding)) ?? "identity"
}
