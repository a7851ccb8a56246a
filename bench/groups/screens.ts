import type { Group } from "../bench.ts"
export const screens: Group = { name: "screens", run: async () => [] }
