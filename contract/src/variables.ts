import { z } from "zod"
import { call } from "./call.ts"
import { fields } from "./text.ts"

export const variableFormats = ["json", "raw"] as const
export type VariableFormat = (typeof variableFormats)[number]

export const variables = {
  read: call({
    access: "key",
    method: "GET",
    path: "/v1/variables",
    summary:
      "The variables of the key's environment. The ETag names their revision and format; If-None-Match answers 304.",
    input: fields({
      format: z
        .enum(variableFormats, { error: `Unknown format. The formats are: ${variableFormats.join(", ")}` })
        .default("json"),
    }),
    output: z.string(),
    done: "OK",
    plain: true,
  }),
}
