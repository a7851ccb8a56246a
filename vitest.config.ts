import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { vitestProjects } from "./testing/src/vitest-projects.ts"

export default defineConfig({
  test: {
    // One more than there are cores: tests of server processes mostly wait for them. By default, one of two cores is idle.
    maxWorkers: availableParallelism() + 1,
    projects: vitestProjects("usual"),
  },
})
