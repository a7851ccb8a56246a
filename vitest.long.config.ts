import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { vitestProjects } from "./testing/src/vitest-projects.ts"

// What takes long by its nature: `npm run test:long`.

export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 1,
    projects: vitestProjects("long"),
  },
})
