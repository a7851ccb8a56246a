import { createServer } from "node:http"
import { hashToken } from "@envkeep/server/keys/token.ts"
import { openBare } from "../bare-driver.ts"
import { answer } from "../side-process.ts"
import type { StoreLocation } from "../store.ts"
import { listen } from "./listen.ts"

// Only the queries that a first read needs, on the bare driver: nothing is decrypted or printed, and the bytes of the answer
// are prepared.

export interface BareQueries {
  location: StoreLocation
  key: string
  body: string
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

answer(async ({ location, key, body: text }: BareQueries) => {
  const body = Buffer.from(text)
  const keyHash = hashToken(key)
  const { query } = await openBare(location)
  return listen(
    createServer(async (_, response) => {
      for (const statement of [holder, variables]) await query(statement, [keyHash])
      response.writeHead(200, { "content-length": body.length }).end(body)
    }),
  )
})
