import { createServer } from "node:http"
import { given, listen } from "./begin.ts"

// The least a Node server can do: the same bytes, no key, no store. A request that names the ETag gets 304.

const { body: text } = await given<{ body: string }>()
const body = Buffer.from(text)
const headers = ["content-type", "application/json; charset=utf-8", "content-length", String(body.length)]

await listen(
  createServer((request, response) => {
    if (request.headers["if-none-match"] === undefined) response.writeHead(200, headers).end(body)
    else response.writeHead(304).end()
  }),
)
