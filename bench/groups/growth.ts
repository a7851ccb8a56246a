import type { Group } from "../bench.ts"
export const growth: Group = { name: "growth", run: async () => [] }
