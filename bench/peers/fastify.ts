import fastify from "fastify"
import { readPath } from "../stock.ts"
import { given, ready } from "./begin.ts"

const { body: text } = await given<{ body: string }>()
const body = Buffer.from(text)

const app = fastify()
app.get(readPath, (request, reply) => {
  if (request.headers["if-none-match"] !== undefined) return reply.status(304).send()
  return reply.type("application/json; charset=utf-8").send(body)
})
await app.listen({ host: "127.0.0.1", port: 0 })
ready((app.server.address() as { port: number }).port)
