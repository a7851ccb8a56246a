import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { hashToken } from "@envkeep/server/keys/token.ts"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import { openBare } from "../store.ts"

// What the product is compared with: the least that the same runtime, driver or engine can do.

/** Resolves with the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as { port: number }).port
}

/** The least a Node server can do: the same bytes, no key, no store. A request that names the ETag gets 304. */
export function serveBytes({ body: text }: { body: string }): Promise<number> {
  const body = Buffer.from(text)
  const headers = ["content-type", "application/json; charset=utf-8", "content-length", String(body.length)]
  return listen(
    createServer((request, response) => {
      if (request.headers["if-none-match"] === undefined) response.writeHead(200, headers).end(body)
      else response.writeHead(304).end()
    }),
  )
}

const holder = `select api_key.name, environment.name as environment, collection.name as collection,
    environment.id as environment_id, collection.id as collection_id, environment.revision, collection.data_key
  from api_key join environment on environment.id = api_key.environment_id
    join collection on collection.id = environment.collection_id
  where api_key.key_hash = ?1`
const variables = `select environment.revision, item.name, item.sealed_value
  from api_key join environment on environment.id = api_key.environment_id
    left join item on item.environment_id = environment.id
  where api_key.key_hash = ?1 order by item.id`

export interface BareQueries {
  location: StoreLocation
  key: string
  body: string
}

/** Only the queries that a first read needs: nothing is decrypted or printed, and the bytes of the answer are prepared. */
export async function serveBareQueries(order: BareQueries): Promise<number> {
  const body = Buffer.from(order.body)
  const keyHash = hashToken(order.key)
  const { query } = await openBare(order.location)
  return listen(
    createServer(async (_, response) => {
      for (const statement of [holder, variables]) await query(statement, [keyHash])
      response.writeHead(200, { "content-length": body.length }).end(body)
    }),
  )
}
