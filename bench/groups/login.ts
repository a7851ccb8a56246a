import type { Group } from "../bench.ts"
export const login: Group = { name: "login", run: async () => [] }
