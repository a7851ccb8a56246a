import { formatNames } from "@envkeep/formats"
import { z } from "zod"
import { call } from "./call.ts"
import { fields, queried, revision, shown } from "./text.ts"

export { type FormatName as VariableFormat, formatNames as variableFormats } from "@envkeep/formats"

/** Sent with an answer from memory while the database is away: for how many seconds it could not be checked. */
export const staleHeaderName = "envkeep-stale"

/** What a key gives access to, by name. */
export const KeyInfo = z.object({
  name: shown,
  environment: shown,
  collection: shown,
  revision: z.number(),
})
export type KeyInfo = z.output<typeof KeyInfo>

export const variables = {
  read: call({
    access: "key",
    method: "GET",
    path: "/v1/variables",
    summary:
      "The variables of the key's environment, with those that it inherits. The ETag names their revision and format, and how this version of the server writes the format; If-None-Match answers 304. With a `revision`, they are as they were then: 404 if there was no such revision, 410 if it, or what it inherited, is no longer kept or holds a value that was erased. While the database is away the answer comes from memory, and `envkeep-stale` says for how many seconds it could not be checked.",
    input: fields({
      format: z
        .enum(formatNames, { error: `Unknown format. The formats are: ${formatNames.join(", ")}` })
        .default("json"),
      revision: queried(revision).optional(),
    }),
    output: z.string(),
    done: "OK",
    plain: true,
  }),
  key: call({
    access: "key",
    method: "GET",
    path: "/v1/key",
    summary: "The key's own name, and its environment, collection and revision.",
    input: fields({}),
    output: KeyInfo,
    done: "OK",
  }),
  watch: call({
    access: "key",
    method: "GET",
    path: "/v1/variables/watch",
    summary:
      "Server-sent events: `revision` with the environment's revision at once and after each change, `gone` when the key stops working. No values.",
    input: fields({}),
    output: z.string(),
    done: "OK",
    plain: true,
  }),
}
