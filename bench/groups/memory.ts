import type { Group } from "../bench.ts"
export const memory: Group = { name: "memory", run: async () => [] }
