import type { Group } from "../bench.ts"
export const watchers: Group = { name: "watchers", run: async () => [] }
