import { createServer } from "node:http"
import { answer } from "../side-process.ts"
import { listen } from "./listen.ts"

// The least a Node server can do: the same bytes, no key, no store. A request that names the ETag gets 304.

answer(({ body: text }: { body: string }) => {
  const body = Buffer.from(text)
  const headers = ["content-type", "application/json; charset=utf-8", "content-length", String(body.length)]
  return listen(
    createServer((request, response) => {
      if (request.headers["if-none-match"] === undefined) response.writeHead(200, headers).end(body)
      else response.writeHead(304).end()
    }),
  )
})
