import { parse } from "yaml"
import type { Consumer } from "./consumer.ts"

export const yamlParsers: Consumer[] = (["1.1", "1.2"] as const).map((version) => ({
  name: `a YAML ${version} parser`,
  format: "yaml",
  read: (text) => parse(text, { version, mapAsMap: true }),
}))

/** A Secret as the API server sees it, with its data decoded. */
export const secret: Consumer = {
  name: "a Secret, by a YAML parser",
  format: "k8s",
  read: (text) => {
    const manifest: Map<string, unknown> = parse(text, { version: "1.1", mapAsMap: true })
    const { data, ...rest } = Object.fromEntries(manifest)
    const metadata = JSON.stringify({ ...rest, metadata: Object.fromEntries(rest["metadata"] as Map<string, string>) })
    if (metadata !== '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"envkeep"},"type":"Opaque"}') {
      throw new Error(`not a Secret: ${metadata}`)
    }
    return new Map(
      Array.from(data as Map<string, string>, ([name, value]) => [name, Buffer.from(value, "base64").toString("utf8")]),
    )
  },
}
