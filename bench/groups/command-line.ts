import type { Group } from "../bench.ts"
export const commandLine: Group = { name: "command-line", run: async () => [] }
