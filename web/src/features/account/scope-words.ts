import type { Scope } from "@envkeep/contract"

/** What a token may do, in words. Your role in each collection still decides. */
export const scopeWords: Record<Scope, { label: string; text: string }> = {
  names: { label: "Names", text: "Sees collections, environments and the names of variables, but no value." },
  read: { label: "Read", text: "Sees values too." },
  write: { label: "Write", text: "Changes values and API keys too." },
  manage: { label: "Manage", text: "Does everything that you can do, except change how you log in." },
}
