import type { Group } from "../bench.ts"
export const save: Group = { name: "save", run: async () => [] }
