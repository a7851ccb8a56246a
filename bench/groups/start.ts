import type { Group } from "../bench.ts"
export const start: Group = { name: "start", run: async () => [] }
