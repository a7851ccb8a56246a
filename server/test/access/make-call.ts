import { type Call, pathFields } from "@envkeep/contract"
import type { Answer, Person } from "@envkeep/testing/person.ts"
import type { Sample } from "./samples.ts"

export function makeCall(person: Person, call: Call, sample: Sample): Promise<Answer> {
  const path = pathOf(call, sample)
  if (call.method === "GET") return person.get(path)
  if (call.method === "DELETE") return person.delete(path)
  return call.method === "POST" ? person.post(path, sample.body) : person.put(path, sample.body)
}

export function pathOf({ path }: Call, { id, revision, ids, query = "" }: Sample): string {
  const fields: Record<string, unknown> = { [pathFields(path)[0] ?? "id"]: id, revision, ...ids }
  return path.replaceAll(/\{(\w+)\}/g, (_, field) => String(fields[field])) + query
}
