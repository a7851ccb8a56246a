import type { Group } from "../bench.ts"
export const coldRead: Group = { name: "cold-read", run: async () => [] }
