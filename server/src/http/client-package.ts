import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { FastifyInstance } from "fastify"

/** The client package as the build packed it, in the folder of the screens. */
export const clientFile = "envkeep.tgz"

/** Lets `npm install <this server>/envkeep.tgz` work. Returns the integrity that npm writes down for it. */
export async function serveClient(app: FastifyInstance, webDir: string): Promise<string | undefined> {
  const tarball = await readFile(join(webDir, clientFile)).catch((error: NodeJS.ErrnoException) => {
    // The screens alone may have been built.
    if (error.code !== "ENOENT") throw error
  })
  if (tarball === undefined) return undefined
  const sum = createHash("sha512").update(tarball).digest("base64")
  // By the content, so that all nodes of one version agree.
  const etag = `"${sum}"`
  app.get(`/${clientFile}`, (request, reply) => {
    // Its name stays the same when the server is updated, so caches ask again.
    reply.headers({ etag, "cache-control": "public, max-age=300, must-revalidate", "repr-digest": `sha-512=:${sum}:` })
    if (request.headers["if-none-match"]?.includes(etag)) return reply.status(304).send()
    return reply.type("application/gzip").send(tarball)
  })
  return `sha512-${sum}`
}
